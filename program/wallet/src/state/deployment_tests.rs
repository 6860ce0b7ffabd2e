use super::*;
use proptest::prelude::*;

const MAX: u64 = u64::MAX;

/// The rule of the interface in 128-bit numbers.
fn is_allowed(deployed: u64, liquid: u64, amount: u64, max_bp: u16) -> bool {
    let total = u128::from(liquid) + u128::from(deployed);
    let wanted = u128::from(deployed) + u128::from(amount);
    total > 0 && wanted * 10_000 <= u128::from(max_bp) * total
}

#[test]
fn the_fraction_holds_to_the_unit() {
    let table = [
        // deployed, liquid, amount, bp, passes
        (0, 10_000, 5_000, 5_000, true),
        (0, 10_000, 5_001, 5_000, false),
        (4_000, 6_000, 1_000, 5_000, true),
        (4_000, 6_000, 1_001, 5_000, false),
        (0, 3, 1, 3_333, false),
        (0, 3, 1, 3_334, true),
        (0, 20_001, 10_000, 5_000, true),
        (0, 20_001, 10_001, 5_000, false),
        (0, 1, 1, 10_000, true),
        (1, 0, 1, 10_000, false),
        (0, 1, 1, 9_999, false),
        (0, MAX, MAX, 10_000, true),
        (0, MAX, MAX, 9_999, false),
        (0, 1_000_000, 1, 0, false),
    ];
    for (deployed, liquid, amount, bp, passes) in table {
        let expected = if passes { Ok(()) } else { Err(Error::DeployedFractionExceeded) };
        let case = (deployed, liquid, amount, bp);
        assert_eq!(check_fraction(deployed, liquid, amount, bp), expected, "{case:?}");
    }
}

#[test]
fn an_empty_vault_deploys_nothing_not_even_zero() {
    assert_eq!(check_fraction(0, 0, 0, 10_000), Err(Error::DeployedFractionExceeded));
    assert_eq!(check_fraction(0, 0, 1, 10_000), Err(Error::DeployedFractionExceeded));
}

#[test]
fn sums_beyond_64_bits_are_refused() {
    assert_eq!(check_fraction(1, MAX, 1, 10_000), Err(Error::MathOverflow));
    assert_eq!(check_fraction(MAX, 0, 1, 10_000), Err(Error::MathOverflow));
    assert_eq!(taken_by_reserve(1, MAX, 0), Err(Error::MathOverflow));
}

#[test]
fn the_reserve_takes_more_than_zero_and_at_most_the_offer() {
    let table = [
        // amount, before, after, taken
        (100, 0, 0, Ok(100)),
        (100, 0, 99, Ok(1)),
        (100, 0, 100, Err(Error::ReserveDeltaMismatch)),
        (100, 0, 101, Err(Error::ReserveDeltaMismatch)),
        (100, 7, 7, Ok(100)),
        (100, 7, 6, Err(Error::ReserveDeltaMismatch)),
        (100, 7, 106, Ok(1)),
        (100, 7, 107, Err(Error::ReserveDeltaMismatch)),
        (MAX, 0, 0, Ok(MAX)),
    ];
    for (amount, before, after, taken) in table {
        assert_eq!(taken_by_reserve(amount, before, after), taken, "{amount} {before} {after}");
    }
}

#[test]
fn an_amount_is_a_part_everything_or_what_the_owner_names() {
    use Portion::{Everything, Named, UpTo};
    let table = [
        // deployed, amount, is_owner, portion
        (100, 0, false, Err(Error::InvalidAmount)),
        (100, 0, true, Err(Error::InvalidAmount)),
        (0, 0, true, Err(Error::InvalidAmount)),
        (100, 99, false, Ok(UpTo(99))),
        (100, 100, false, Ok(Everything)),
        (100, 101, false, Err(Error::WithdrawExceedsDeployed)),
        (100, 101, true, Err(Error::WithdrawExceedsDeployed)),
        (100, MAX, false, Err(Error::WithdrawExceedsDeployed)),
        (100, MAX, true, Ok(Named)),
        (0, MAX, true, Ok(Named)),
        (MAX, MAX, true, Ok(Named)),
        (0, MAX, false, Err(Error::WithdrawExceedsDeployed)),
        (0, 1, true, Err(Error::WithdrawExceedsDeployed)),
        (MAX, MAX, false, Ok(Everything)),
    ];
    for (deployed, amount, is_owner, portion) in table {
        assert_eq!(Portion::of(deployed, amount, is_owner), portion, "{deployed} {amount}");
    }
}

#[test]
fn a_caller_chooses_collateral_unless_everything_is_withdrawn() {
    use Portion::{Everything, Named, UpTo};
    for chosen in [0, 1, 50, 51, MAX] {
        assert_eq!(Everything.collateral(chosen, 50, 9), Ok(50));
        assert_eq!(Everything.collateral(chosen, 0, 9), Err(Error::WithdrawExceedsDeployed));
    }
    for portion in [Named, UpTo(9)] {
        for deployed in [0, 9, MAX] {
            assert_eq!(portion.collateral(1, 50, deployed), Ok(1));
            assert_eq!(portion.collateral(50, 50, deployed), Ok(50));
            for chosen in [0, 51, MAX] {
                let choice = portion.collateral(chosen, 50, deployed);
                assert_eq!(choice, Err(Error::ReserveDeltaMismatch));
            }
        }
    }
}

#[test]
fn zero_units_write_off_a_loss_for_the_owner_only_and_only_without_collateral() {
    use Portion::{Everything, Named, UpTo};
    let (nothing, mismatch) = (Error::WithdrawExceedsDeployed, Error::ReserveDeltaMismatch);
    let table = [
        // portion, chosen, balance, deployed, units
        (Named, 0, 0, 1, Ok(0)),
        (Named, 0, 0, MAX, Ok(0)),
        (Named, 0, 0, 0, Err(nothing)),
        (Named, 1, 0, 0, Err(nothing)),
        (Named, MAX, 0, 0, Err(nothing)),
        (Named, 1, 0, 9, Err(mismatch)),
        (Named, MAX, 0, 9, Err(mismatch)),
        (Named, 0, 1, 9, Err(mismatch)),
        (UpTo(8), 0, 0, 9, Err(mismatch)),
        (UpTo(8), 1, 0, 9, Err(mismatch)),
        (Everything, 0, 0, 9, Err(nothing)),
    ];
    for (portion, chosen, balance, deployed, units) in table {
        let case = (portion, chosen, balance, deployed);
        assert_eq!(portion.collateral(chosen, balance, deployed), units, "{case:?}");
    }
}

#[test]
fn a_part_may_exceed_the_amount_by_one_collateral_unit() {
    let part = Portion::UpTo(100);
    // One unit is worth 3, so 34 are the fewest that cover 100.
    assert_eq!(part.check_returned(102, 34, 34), Ok(()));
    assert_eq!(part.check_returned(99, 33, 33), Ok(()));
    assert_eq!(part.check_returned(105, 35, 35), Err(Error::ReserveDeltaMismatch));
    // A single unit may be worth more than the requested amount.
    assert_eq!(part.check_returned(1_000_000, 1, 1), Ok(()));
    assert_eq!(part.check_returned(MAX, MAX, MAX), Err(Error::ReserveDeltaMismatch));
    for unlimited in [Portion::Everything, Portion::Named] {
        assert_eq!(unlimited.check_returned(MAX, 1_000, 1_000), Ok(()));
        assert_eq!(unlimited.check_returned(1, MAX, MAX), Ok(()));
    }
}

#[test]
fn a_reserve_that_gives_nothing_or_burns_another_number_is_refused() {
    for portion in [Portion::Everything, Portion::Named, Portion::UpTo(100)] {
        assert_eq!(portion.check_returned(0, 10, 10), Err(Error::ReserveDeltaMismatch));
        assert_eq!(portion.check_returned(10, 10, 11), Err(Error::ReserveDeltaMismatch));
        assert_eq!(portion.check_returned(10, 10, 9), Err(Error::ReserveDeltaMismatch));
        assert_eq!(portion.check_returned(10, 10, 0), Err(Error::ReserveDeltaMismatch));
    }
}

proptest! {
    #[test]
    fn the_fraction_rule_equals_that_of_large_numbers(
        deployed: u64, liquid: u64, amount: u64, max_bp in 0_u16..=10_000, shift in 0_u32..64,
    ) {
        let (deployed, liquid, amount) = (deployed >> shift, liquid >> shift, amount >> shift);
        match check_fraction(deployed, liquid, amount, max_bp) {
            Ok(()) => prop_assert!(is_allowed(deployed, liquid, amount, max_bp)),
            Err(Error::MathOverflow) => prop_assert!(
                deployed.checked_add(liquid).is_none() || deployed.checked_add(amount).is_none()
            ),
            Err(_) => prop_assert!(!is_allowed(deployed, liquid, amount, max_bp)),
        }
    }

    /// Near the bound, where rounding would matter.
    #[test]
    fn the_largest_amount_that_the_fraction_allows_passes_and_one_more_does_not(
        deployed in 0_u64..1 << 40, liquid in 0_u64..1 << 40, max_bp in 0_u16..=10_000,
    ) {
        let total = u128::from(deployed + liquid);
        let most = total * u128::from(max_bp) / 10_000;
        if let Some(amount) = u64::try_from(most).ok().and_then(|most| most.checked_sub(deployed)) {
            if total > 0 {
                prop_assert_eq!(check_fraction(deployed, liquid, amount, max_bp), Ok(()));
            }
            let more = check_fraction(deployed, liquid, amount + 1, max_bp);
            prop_assert_eq!(more, Err(Error::DeployedFractionExceeded));
        }
    }

    /// A reserve that rounds down, at any rate: the fewest units that cover the amount pass,
    /// and one unit more is refused once it is worth at least one base unit.
    #[test]
    fn the_fewest_units_that_reach_an_amount_pass(
        amount in 1_u64..1 << 50, supply in 1_u64..1 << 50, total in 1_u64..1 << 50,
    ) {
        let worth = |units: u128| u64::try_from(units * u128::from(total) / u128::from(supply));
        let fewest = (u128::from(amount) * u128::from(supply)).div_ceil(u128::from(total));
        if let (Ok(units), Ok(returned)) = (u64::try_from(fewest), worth(fewest)) {
            let part = Portion::UpTo(amount);
            prop_assume!(returned > 0);
            prop_assert_eq!(part.check_returned(returned, units, units), Ok(()));
            if let (Some(more), Ok(returned)) = (units.checked_add(2), worth(fewest + 2)) {
                if total > supply {
                    let checked = part.check_returned(returned, more, more);
                    prop_assert_eq!(checked, Err(Error::ReserveDeltaMismatch));
                }
            }
        }
    }

    /// The deployed amount falls by the returned amount, and by one base unit of rounding with the
    /// last collateral; any other loss stays.
    #[test]
    fn what_is_left_is_what_did_not_come_back(
        deployed: u64, returned: u64, amount in 1_u64.., collateral in 1_u64..,
    ) {
        let rest = deployed.saturating_sub(returned);
        let part = Portion::UpTo(amount);
        for (portion, collateral) in [(part, 0), (part, collateral), (Portion::Named, collateral)] {
            prop_assert_eq!(portion.left(deployed, returned, collateral), rest);
        }
        let kept = if rest <= 1 { 0 } else { rest };
        for portion in [Portion::Everything, Portion::Named] {
            prop_assert_eq!(portion.left(deployed, returned, 0), kept);
        }
    }

    #[test]
    fn rounding_is_forgotten_with_the_last_collateral_and_a_loss_is_not(deployed in 2_u64..) {
        for portion in [Portion::Everything, Portion::Named] {
            for (lost, kept) in [(0, 0), (1, 0), (2, 2), (deployed, deployed)] {
                prop_assert_eq!(portion.left(deployed, deployed - lost, 0), kept);
            }
        }
        prop_assert_eq!(Portion::UpTo(deployed).left(deployed, deployed - 1, 0), 1);
        prop_assert_eq!(Portion::Named.left(deployed, deployed - 1, 1), 1);
    }

    /// However an owner splits a balance, the parts redeem all of it, and the deployed amount
    /// never rises on the way.
    #[test]
    fn every_split_of_the_collateral_brings_all_of_it_home(
        balance in 1_u64.., deployed: u64, cuts in prop::collection::vec(1_u64.., 0..20),
        rate in 1_u64..1_000,
    ) {
        let (mut held, mut left) = (balance, deployed);
        for cut in cuts.into_iter().chain([MAX]) {
            if held == 0 {
                break;
            }
            let portion = Portion::of(left, MAX, true).expect("the owner's largest amount");
            let units = portion.collateral(cut.min(held), held, left).expect("some of the units");
            let returned = units.saturating_mul(rate);
            prop_assert_eq!(portion.check_returned(returned, units, units), Ok(()));
            held -= units;
            let next = portion.left(left, returned, held);
            prop_assert!(next <= left);
            left = next;
        }
        prop_assert_eq!(held, 0);
        let paid = u128::from(balance) * u128::from(rate);
        let lost = u128::from(deployed).saturating_sub(paid);
        prop_assert_eq!(u128::from(left), if lost <= 1 { 0 } else { lost });
    }

    #[test]
    fn what_is_too_much_equals_the_rule_in_large_numbers(
        amount: u64, returned in 1_u64.., redeemed in 1_u64.., shift in 0_u32..64,
    ) {
        let (returned, amount) = ((returned >> shift).max(1), amount >> shift);
        let product = u128::from(returned) * u128::from(redeemed - 1);
        let passes = product <= u128::from(amount) * u128::from(redeemed);
        let checked = Portion::UpTo(amount).check_returned(returned, redeemed, redeemed);
        prop_assert_eq!(checked.is_ok(), passes);
    }
}
