//! The window against a set of executed numbers, and the vectors for other implementations.

use super::*;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use std::{collections::HashSet, string::String, vec::Vec};

fn execute(window: &mut ReplayWindow, seq: u64) -> Result<(), Error> {
    window.check(seq)?;
    window.record(seq);
    Ok(())
}

#[test]
fn a_number_passes_once_in_any_order() {
    let mut window = ReplayWindow::default();
    for seq in [3, 1, 256, 2, 257] {
        assert_eq!(execute(&mut window, seq), Ok(()), "{seq}");
        assert_eq!(execute(&mut window, seq), Err(Error::SpendAlreadyExecuted), "{seq}");
    }
}

#[test]
fn zero_and_numbers_that_left_the_window_are_too_old() {
    let mut window = ReplayWindow::default();
    assert_eq!(execute(&mut window, 0), Err(Error::SpendSequenceTooOld));
    assert_eq!(execute(&mut window, 300), Ok(()));
    assert_eq!(execute(&mut window, 0), Err(Error::SpendSequenceTooOld));
    assert_eq!(execute(&mut window, 44), Err(Error::SpendSequenceTooOld));
    assert_eq!(execute(&mut window, 45), Ok(()));
}

#[test]
fn one_call_cannot_jump_more_than_two_to_the_32() {
    let mut window = ReplayWindow::default();
    assert_eq!(execute(&mut window, MAX_JUMP + 1), Err(Error::SpendSequenceTooFar));
    assert_eq!(execute(&mut window, u64::MAX), Err(Error::SpendSequenceTooFar));
    assert_eq!(execute(&mut window, MAX_JUMP), Ok(()));
    assert_eq!(execute(&mut window, 2 * MAX_JUMP), Ok(()));
}

#[test]
fn the_last_number_of_all_can_be_used() {
    let mut window = ReplayWindow { highest_seq: u64::MAX - 1, bitmap: [u64::MAX; 4] };
    assert_eq!(execute(&mut window, u64::MAX), Ok(()));
    assert_eq!(execute(&mut window, u64::MAX), Err(Error::SpendAlreadyExecuted));
}

fn steps() -> impl Strategy<Value = Vec<i64>> {
    let offset = prop_oneof![
        8 => -20i64..20,
        3 => -300i64..300,
        1 => Just(256i64),
        1 => Just(255i64),
        1 => 0i64..5_000_000_000,
    ];
    proptest::collection::vec(offset, 1..300)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn it_answers_like_a_set_of_everything_executed(offsets in steps()) {
        let mut window = ReplayWindow::default();
        let mut executed: HashSet<u64> = HashSet::new();
        for offset in offsets {
            let highest = executed.iter().copied().max().unwrap_or(0);
            let seq = highest.saturating_add_signed(offset);
            let expected = if seq == 0 || seq + WINDOW <= highest {
                Err(Error::SpendSequenceTooOld)
            } else if executed.contains(&seq) {
                Err(Error::SpendAlreadyExecuted)
            } else if seq > highest + MAX_JUMP {
                Err(Error::SpendSequenceTooFar)
            } else {
                Ok(())
            };
            prop_assert_eq!(execute(&mut window, seq), expected);
            if expected.is_ok() {
                executed.insert(seq);
            }
            let highest = executed.iter().copied().max().unwrap_or(0);
            prop_assert_eq!(window.highest_seq, highest);
            for seq in highest.saturating_sub(WINDOW - 1).max(1)..=highest {
                let bit = window.bitmap[(seq % 256 / 64) as usize] >> (seq % 64) & 1;
                prop_assert_eq!(bit == 1, executed.contains(&seq));
            }
        }
    }
}

/// Format of `vectors/replay_window.json`: a list of cases, each a fresh window and steps in
/// order. A step executes `seq`; its results are `error`, null or an error name, and the
/// window after the step. All numbers are decimal strings; `bitmap` has 4 words of 64 bits.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Case {
    name: String,
    steps: Vec<Step>,
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Step {
    seq: String,
    error: Option<String>,
    highest_seq: String,
    bitmap: Vec<String>,
}

fn case(name: &str, numbers: &[u64]) -> Case {
    let mut window = ReplayWindow::default();
    let steps = numbers.iter().map(|seq| {
        let error = execute(&mut window, *seq).err();
        Step {
            seq: std::format!("{seq}"),
            error: error.map(|e| std::format!("{e:?}")),
            highest_seq: std::format!("{}", window.highest_seq),
            bitmap: window.bitmap.iter().map(|word| std::format!("{word}")).collect(),
        }
    });
    Case { name: name.into(), steps: steps.collect() }
}

#[test]
fn the_shared_vectors_are_those_of_this_window() {
    let made = [
        case("once each, in any order", &[3, 1, 2, 3, 1, 4, 2]),
        case("zero and the edge of the window", &[0, 300, 44, 45, 45, 300, 301, 45, 46]),
        case("a word at a time", &[63, 64, 65, 127, 128, 191, 192, 255, 256, 64, 257, 1, 2]),
        case("a jump by the whole window", &[10, 266, 10, 11, 522, 267, 266, 523]),
        case(
            "jumps that are just allowed and just not",
            &[MAX_JUMP + 1, MAX_JUMP, 2 * MAX_JUMP + 1, 2 * MAX_JUMP, u64::MAX],
        ),
    ];
    crate::state::vectors::compare("replay_window.json", &made);
}
