//! The window against an exact log of spends, and the vectors for other implementations.

use super::*;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use std::{string::String, vec::Vec};

const DAY: i64 = 86_400;
const HOUR: i64 = 3_600;
const NOON: i64 = 1_700_000_000 - 1_700_000_000 % DAY + DAY / 2;

fn buckets(window: &SpendWindow) -> u64 {
    window.buckets.iter().sum()
}

#[test]
fn a_spend_up_to_the_cap_passes_and_one_unit_more_does_not() {
    let mut window = SpendWindow::default();
    assert_eq!(window.spend(NOON, 60, 100), Ok(60));
    assert_eq!(window.spend(NOON, 40, 100), Ok(100));
    let before = window.clone();
    assert_eq!(window.spend(NOON, 1, 100), Err(Error::DailyCapExceeded));
    assert_eq!(window, before, "a refused spend leaves no trace");
}

#[test]
fn an_hour_counts_until_its_last_second_is_a_day_ago() {
    let mut window = SpendWindow::default();
    assert_eq!(window.spend(NOON + 10, 100, 100), Ok(100));
    let all_but_free = NOON + DAY + HOUR - 1;
    assert_eq!(window.spend(all_but_free, 1, 100), Err(Error::DailyCapExceeded));
    assert_eq!(window.spend(all_but_free + 1, 100, 100), Ok(100));
    assert_eq!(window.daily_window_start, NOON + HOUR);
}

#[test]
fn no_reset_lets_twice_the_cap_through() {
    let mut window = SpendWindow::default();
    assert_eq!(window.spend(NOON + DAY - 1, 100, 100), Ok(100));
    assert_eq!(window.spend(NOON + DAY, 1, 100), Err(Error::DailyCapExceeded));
}

#[test]
fn a_clock_that_went_back_counts_as_the_latest_one() {
    let mut window = SpendWindow::default();
    assert_eq!(window.spend(NOON + 2 * DAY, 50, 100), Ok(50));
    assert_eq!(window.spend(NOON, 50, 100), Ok(100));
    assert_eq!(window.last_seen, NOON + 2 * DAY);
    assert_eq!(window.spend(NOON + 2 * DAY, 1, 100), Err(Error::DailyCapExceeded));
}

#[test]
fn a_refused_spend_does_not_move_the_clock() {
    let mut window = SpendWindow::default();
    assert_eq!(window.spend(NOON, 100, 100), Ok(100));
    assert_eq!(window.spend(NOON + DAY, 1, 100), Err(Error::DailyCapExceeded));
    assert_eq!(window.last_seen, NOON);
}

#[test]
fn a_cap_lowered_below_the_sum_leaves_nothing() {
    let mut window = SpendWindow::default();
    assert_eq!(window.spend(NOON, 100, 100), Ok(100));
    assert_eq!(window.spend(NOON, 1, 50), Err(Error::DailyCapExceeded));
}

#[test]
fn edges_of_amount_and_time_are_exact() {
    let mut window = SpendWindow::default();
    assert_eq!(window.spend(-1, 1, 100), Err(Error::InvalidClock));
    assert_eq!(window.spend(0, u64::MAX, u64::MAX), Ok(u64::MAX));
    assert_eq!(window.daily_window_start, -DAY);
    assert_eq!(window.spend(0, 1, u64::MAX), Err(Error::DailyCapExceeded));
    assert_eq!(window.spend(i64::MAX, u64::MAX, u64::MAX), Ok(u64::MAX));
}

/// A step of a random history: seconds that pass (may be negative) and an amount.
fn steps() -> impl Strategy<Value = Vec<(i64, u64)>> {
    let passed = prop_oneof![
        6 => 0..2 * HOUR,
        2 => 20 * HOUR..30 * HOUR,
        1 => -2 * HOUR..0,
        1 => 0..10 * DAY,
    ];
    proptest::collection::vec((passed, 1u64..70), 1..400)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Together more than 80 000 random steps; the exact log is kept beside the window.
    #[test]
    fn no_day_sees_more_than_the_cap_and_no_spend_waits_an_hour_too_long(steps in steps()) {
        const CAP: u64 = 100;
        let mut window = SpendWindow::default();
        let mut log: Vec<(i64, u64)> = Vec::new();
        let (mut clock, mut latest) = (NOON, 0);
        for (passed, amount) in steps {
            clock += passed;
            let seen = clock.max(latest);
            let since = |begin: i64| -> u64 {
                log.iter().filter(|(at, _)| *at > begin).map(|(_, spent)| *spent).sum()
            };
            let exact = since(seen - DAY) + amount;
            let one_hour_longer = since(seen - DAY - HOUR) + amount;
            match window.spend(clock, amount, CAP) {
                Ok(total) => {
                    prop_assert!(exact <= CAP, "{exact} within 24 hours");
                    prop_assert_eq!(total, buckets(&window));
                    prop_assert_eq!(total, window.daily_spent);
                    log.push((seen, amount));
                    latest = seen;
                }
                Err(error) => {
                    prop_assert_eq!(error, Error::DailyCapExceeded);
                    prop_assert!(one_hour_longer > CAP, "refused more than one hour too long");
                }
            }
        }
    }
}

/// Format of `vectors/spend_window.json`: a list of cases, each a fresh window and steps in
/// order. A step has `now` (unix seconds), `amount` and `daily_cap` (base units), and its
/// results: `error`, null or an error name, and the window after the step. All numbers
/// are decimal strings; `buckets` has 25.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Case {
    name: String,
    steps: Vec<Step>,
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Step {
    now: String,
    amount: String,
    daily_cap: String,
    error: Option<String>,
    daily_spent: String,
    daily_window_start: String,
    last_seen: String,
    buckets: Vec<String>,
}

fn case(name: &str, inputs: &[(i64, u64, u64)]) -> Case {
    let mut window = SpendWindow::default();
    let steps = inputs.iter().map(|(now, amount, daily_cap)| {
        let error = window.spend(*now, *amount, *daily_cap).err();
        Step {
            now: std::format!("{now}"),
            amount: std::format!("{amount}"),
            daily_cap: std::format!("{daily_cap}"),
            error: error.map(|e| std::format!("{e:?}")),
            daily_spent: std::format!("{}", window.daily_spent),
            daily_window_start: std::format!("{}", window.daily_window_start),
            last_seen: std::format!("{}", window.last_seen),
            buckets: window.buckets.iter().map(|b| std::format!("{b}")).collect(),
        }
    });
    Case { name: name.into(), steps: steps.collect() }
}

/// A history from a fixed generator, so that the file is the same on every machine.
fn mixed_history() -> Vec<(i64, u64, u64)> {
    let mut state = 20_240_229u64;
    let mut draw = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut now = NOON;
    (0..60)
        .map(|_| {
            now += draw(7_500) as i64 - 300;
            (now, 1 + draw(60), 100)
        })
        .collect()
}

#[test]
fn the_shared_vectors_are_those_of_this_window() {
    let made = [
        case("up to the cap", &[(NOON, 60, 100), (NOON, 40, 100), (NOON, 1, 100)]),
        case(
            "an hour counts until its last second is a day ago",
            &[
                (NOON + 10, 100, 100),
                (NOON + DAY + HOUR - 1, 1, 100),
                (NOON + DAY + HOUR, 100, 100),
            ],
        ),
        case("a clock that goes back", &[(NOON, 50, 100), (NOON - DAY, 50, 100), (-1, 1, 100)]),
        case("a lowered and a raised cap", &[(NOON, 100, 100), (NOON, 1, 50), (NOON, 1, 101)]),
        case(
            "edges of 64 bits",
            &[
                (0, u64::MAX, u64::MAX),
                (0, 1, u64::MAX),
                (30 * HOUR, 1, u64::MAX),
                (i64::MAX, u64::MAX, u64::MAX),
            ],
        ),
        case("a mixed history", &mixed_history()),
    ];
    crate::state::vectors::compare("spend_window.json", &made);
}
