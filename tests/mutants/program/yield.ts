import { inWallet, type Mutant } from '../mutant.ts';

/** Checks of transfers to and from the yield reserve. */
export const yieldMutants: readonly Mutant[] = [
  ...inWallet('instructions/yield_accounts.rs', [
    {
      name: 'owner-without-a-session',
      find: 'checks::has_owner(&vault, self.authority)?;',
      replace: '',
      noticedBy: ['test two-wallets'],
    },
    {
      name: 'signature-of-yield',
      find: 'checks::signer(self.authority, "authority")?;',
      replace: '',
      noticedBy: ['test two-wallets'],
    },
    {
      name: 'session-key-of-yield',
      find: 'if !address_eq(&session.session_pubkey, self.authority.address()) {',
      replace: 'if false {',
      noticedBy: ['test two-wallets'],
    },
    {
      name: 'deadline-of-yield',
      find: 'deadline::check_at(arguments.deadline, now).map_err(Error::fail)?;',
      replace: 'let _ = arguments.deadline;',
      noticedBy: ['test withheld', 'test yield-deposit'],
    },
    {
      name: 'session-rules-of-yield',
      find: 'spend.check(&vault, &session, instruction, now).map_err(Error::fail)?;',
      replace: '',
      noticedBy: ['test yield-deposit'],
    },
    {
      name: 'replay-of-yield-is-noted',
      find: 'session.replay_window.record(spend.seq);',
      replace: '',
      noticedBy: ['test replay'],
    },
    {
      name: 'yield-made-ready',
      find: 'if yield_bump == 0 {',
      replace: 'if false {',
      noticedBy: ['test yield-deposit'],
    },
    {
      name: 'yield-authority',
      find: 'checks::address(self.yield_authority, &authority, Error::ConstraintSeeds, name)?;',
      replace: '',
      noticedBy: ['test yield-deposit'],
    },
    {
      name: 'reserve-addresses',
      find: 'checks::address(account, address, Error::ReserveMismatch, name)?;',
      replace: 'let _ = (account, address, name);',
      noticedBy: ['test yield-deposit'],
    },
    {
      name: 'owner-program-of-the-reserve',
      find: 'checks::owned_by(self.reserve, &RESERVE.program, "reserve")',
      replace: 'Ok::<(), Error>(())',
      noticedBy: ['test yield-deposit'],
    },
  ]),
  ...inWallet('instructions/yield_deposit.rs', [
    {
      name: 'token-accounts-after-the-reserve',
      find: 'let after = accounts.holdings()?;',
      replace:
        'let after = crate::instructions::yield_accounts::Holdings {\n        liquidity: pinocchio_token::state::Account::from_account_view(accounts.transit_token_account)?.amount(),\n        collateral: pinocchio_token::state::Account::from_account_view(accounts.collateral_token_account)?.amount(),\n    };',
      noticedBy: ['test hostile-reserve', 'surface program'],
    },
    {
      name: 'collateral-came',
      find: 'if collateral_delta == 0 {',
      replace: 'if false {',
      noticedBy: ['test hostile-reserve'],
    },
    {
      name: 'deposit-is-counted',
      find: 'checks::view_mut::<Vault>(accounts.vault, "vault")?.deployed_amount = deployed_amount;',
      replace: '',
      noticedBy: ['test hostile-reserve'],
    },
    {
      name: 'rest-comes-home',
      find: 'accounts.empty_transit(after.liquidity, &yield_authority)?;',
      replace: '',
      noticedBy: ['test hostile-reserve', 'surface program fuzz'],
    },
  ]),
  ...inWallet('instructions/yield_withdraw.rs', [
    {
      name: 'write-off-without-a-reserve',
      find: 'if redeemed > 0 {\n        accounts.reserve_exists()?;',
      replace: 'accounts.reserve_exists()?;\n    if redeemed > 0 {',
      noticedBy: ['test yield-withdraw-by-owner'],
    },
    {
      name: 'redemption-from-a-living-reserve',
      find: 'if redeemed > 0 {\n        accounts.reserve_exists()?;',
      replace: 'if redeemed > 0 {',
      noticedBy: ['test yield-withdraw'],
    },
  ]),
  ...inWallet('state/deployment.rs', [
    {
      name: 'largest-fraction',
      find: 'if total == 0 || widening_mul(wanted, u64::from(MAX_BASIS_POINTS)) > allowed {',
      replace: 'let _ = (wanted, allowed); if total == 0 {',
      noticedBy: ['test hostile-reserve', 'surface program fuzz'],
    },
    {
      name: 'fraction-rounded-down',
      find: 'if total == 0 || widening_mul(wanted, u64::from(MAX_BASIS_POINTS)) > allowed {',
      replace:
        'let _ = allowed; if total == 0 || wanted / (total / u64::from(MAX_BASIS_POINTS)).max(1) > u64::from(max_bp) {',
      noticedBy: ['test yield-deposit'],
    },
    {
      name: 'what-the-reserve-may-take',
      find: 'Some(taken @ 1..) if taken <= amount => Ok(taken),',
      replace: 'Some(taken) => Ok(taken),',
      noticedBy: ['test hostile-reserve'],
    },
    {
      name: 'no-more-than-deployed',
      find: '_ if amount > deployed => Err(Error::WithdrawExceedsDeployed),',
      replace: '',
      noticedBy: ['test yield-withdraw'],
    },
    {
      name: 'everything-for-the-owner-only',
      find: 'EVERYTHING if is_owner => Ok(Self::Named),',
      replace: 'EVERYTHING => { let _ = is_owner; Ok(Self::Named) }',
      noticedBy: ['test yield-withdraw'],
    },
    {
      name: 'chosen-collateral',
      find: '_ if chosen == 0 || chosen > balance => Err(Error::ReserveDeltaMismatch),',
      replace: '',
      noticedBy: ['test yield-withdraw'],
    },
    {
      name: 'owner-names-the-collateral',
      find: 'Self::Everything => Ok(balance),',
      replace: 'Self::Everything | Self::Named => Ok(balance),',
      noticedBy: ['test locked-yield', 'test yield-withdraw-by-owner'],
    },
    {
      name: 'write-off-without-collateral',
      find: 'Self::Named if balance == 0 && chosen == 0 => Ok(0),',
      replace: 'Self::Named if chosen == 0 => Ok(0),',
      noticedBy: ['test yield-withdraw-by-owner'],
    },
    {
      name: 'write-off-asked-for',
      find: 'Self::Named if balance == 0 && chosen == 0 => Ok(0),',
      replace: 'Self::Named if balance == 0 => Ok(0),',
      noticedBy: ['test yield-withdraw-by-owner'],
    },
    {
      name: 'something-to-write-off',
      find: 'Self::Named if balance == 0 && deployed == 0 => Err(Error::WithdrawExceedsDeployed),',
      replace: '',
      noticedBy: ['test yield-withdraw-by-owner'],
    },
    {
      name: 'rounding-with-the-last-collateral',
      find: '(Self::Everything | Self::Named, ..=ROUNDING) if collateral == 0 => 0,',
      replace: '(Self::Everything | Self::Named, ..=ROUNDING) => { let _ = collateral; 0 }',
      noticedBy: ['test yield-withdraw-by-owner'],
    },
    {
      name: 'something-came-back',
      find: 'if returned == 0 || burned != redeemed || is_too_much {',
      replace: 'if burned != redeemed || is_too_much {',
      noticedBy: ['test hostile-reserve'],
    },
    {
      name: 'what-the-reserve-may-burn',
      find: 'if returned == 0 || burned != redeemed || is_too_much {',
      replace: 'let _ = burned; if returned == 0 || is_too_much {',
      noticedBy: ['test hostile-reserve'],
    },
    {
      name: 'no-more-than-a-part',
      find: 'if returned == 0 || burned != redeemed || is_too_much {',
      replace: 'let _ = is_too_much; if returned == 0 || burned != redeemed {',
      noticedBy: ['test hostile-reserve'],
    },
  ]),
];
