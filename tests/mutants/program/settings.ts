import { inWallet, type Mutant } from '../mutant.ts';

/** Checks of the owner's instructions, and of the arguments of all instructions. */
export const settingMutants: readonly Mutant[] = [
  ...inWallet('instructions/revoke_session.rs', [
    {
      name: 'owner-of-a-revocation',
      find: 'drop(checks::owned_vault_mut(vault, owner)?);',
      replace: '',
      noticedBy: ['test two-wallets'],
    },
    {
      name: 'index-of-a-revocation',
      find: 'state.check_index(session_index).map_err(Error::fail)?;',
      replace: '',
      noticedBy: ['test withheld', 'test revoke-session'],
    },
    {
      name: 'session-is-closed',
      find: 'session.close()',
      replace: 'Ok(())',
      noticedBy: ['test revival', 'surface program'],
    },
    {
      name: 'revoked-session-is-counted',
      find: 'count_open_sessions(&mut vault.try_borrow_mut()?, |count| count.saturating_sub(1));',
      replace: '',
      noticedBy: ['test revoke-session'],
    },
  ]),
  ...inWallet('instructions/init_vault.rs', [
    {
      name: 'first-index-of-a-vault',
      find: 'state.next_session_index = first_index;',
      replace: '',
      noticedBy: ['test init-vault'],
    },
  ]),
  ...inWallet('instructions/update_session_limits.rs', [
    {
      name: 'owner-of-new-limits',
      find: 'checks::owned_vault(vault, owner)?;',
      replace: '',
      noticedBy: ['test two-wallets', 'surface program fuzz'],
    },
    {
      name: 'index-of-new-limits',
      find: 'state.check_index(session_index).map_err(Error::fail)?;',
      replace: '',
      noticedBy: ['test withheld', 'test update-session-limits'],
    },
    {
      name: 'deadline-of-new-limits',
      find: 'deadline::check(deadline)?;',
      replace: 'let _ = deadline;',
      noticedBy: ['test withheld', 'test update-session-limits'],
    },
  ]),
  ...inWallet('instructions/update_session_allowlist.rs', [
    {
      name: 'index-of-new-recipients',
      find: 'state.check_index(session_index).map_err(Error::fail)?;',
      replace: '',
      noticedBy: ['test withheld', 'test update-session-allowlist'],
    },
    {
      name: 'deadline-of-new-recipients',
      find: 'deadline::check(deadline)?;',
      replace: 'let _ = deadline;',
      noticedBy: ['test withheld', 'test update-session-allowlist'],
    },
  ]),
  ...inWallet('instructions/set_paused.rs', [
    {
      name: 'deadline-of-a-resumption',
      find: 'deadline::check(deadline)?;',
      replace: 'let _ = deadline;',
      noticedBy: ['test withheld', 'test set-paused'],
    },
    {
      name: 'pause-at-any-time',
      find: 'if !paused {',
      replace: 'if true {',
      noticedBy: ['test withheld'],
    },
  ]),
  ...inWallet('instructions/deadline.rs', [
    {
      name: 'deadline-to-the-second',
      find: 'if now > deadline {',
      replace: 'if now >= deadline {',
      noticedBy: ['test withheld'],
    },
  ]),
  ...inWallet('instructions/owner_withdraw.rs', [
    {
      name: 'owner-is-paid',
      find: 'checks::usdc_account(owner_token_account, owner.address(), "owner_token_account")?;',
      replace: '',
      noticedBy: ['test two-wallets'],
    },
  ]),
  ...inWallet('instructions/add_session.rs', [
    {
      name: 'index-of-a-new-session',
      find: 'index.checked_add(1)',
      replace: 'index.checked_add(0)',
      noticedBy: ['test revival'],
    },
    {
      name: 'index-signed-for',
      find: 'if arguments.session_index != index {',
      replace: 'if false {',
      noticedBy: ['test withheld', 'test add-session'],
    },
    {
      name: 'deadline-of-a-new-session',
      find: 'deadline::check(arguments.deadline)?;',
      replace: '',
      noticedBy: ['test withheld', 'test add-session'],
    },
    {
      name: 'forbidden-session-key',
      find: 'if no_keys.iter().any(|one| address_eq(one, session_pubkey)) {',
      replace: 'let _ = (no_keys, address_eq); if false {',
      noticedBy: ['test add-session'],
    },
    {
      name: 'new-session-is-counted',
      find: 'count_open_sessions(&mut vault.try_borrow_mut()?, |count| count.saturating_add(1));',
      replace: '',
      noticedBy: ['test add-session'],
    },
  ]),
  ...inWallet('instructions/limits.rs', [
    {
      name: 'limit-above-zero',
      find: 'if self.max_per_tx == 0 || self.daily_cap == 0 {',
      replace: 'if false {',
      noticedBy: ['test add-session'],
    },
    {
      name: 'expiry-ahead',
      find: 'if self.expiry <= now {',
      replace: 'let _ = now; if false {',
      noticedBy: ['test add-session'],
    },
    {
      name: 'unknown-instruction-bit',
      find: 'if self.allowed_instructions & !KNOWN_INSTRUCTIONS != 0 {',
      replace: 'if false {',
      noticedBy: ['test add-session'],
    },
  ]),
  ...inWallet('instructions/recipients.rs', [
    {
      name: 'ten-recipients',
      find: 'if recipients.len() > MAX_RECIPIENTS {',
      replace: 'if false {',
      noticedBy: ['test add-session'],
    },
    {
      name: 'forbidden-recipient',
      find: 'if is_recipient(&Address::default()) || forbidden.iter().any(|one| is_recipient(one)) {',
      replace: 'let _ = forbidden; if false {',
      noticedBy: ['test add-session'],
    },
    {
      name: 'recipient-listed-twice',
      find: 'if recipients.iter().take(place).any(is_recipient) {',
      replace: 'let _ = (place, is_recipient); if false {',
      noticedBy: ['test add-session'],
    },
  ]),
  ...inWallet('instructions/init_vault.rs', [
    {
      name: 'deadline-of-a-new-vault',
      find: 'deadline::check(deadline)?;',
      replace: 'let _ = deadline;',
      noticedBy: ['test withheld', 'test init-vault'],
    },
    {
      name: 'fraction-of-a-new-vault',
      find: 'if max_deployed_fraction_bp > MAX_BASIS_POINTS {',
      replace: 'if false {',
      noticedBy: ['test init-vault'],
    },
    {
      name: 'token-account-of-a-new-vault',
      find: 'checks::own_token_account(vault_token_account, &address, &USDC_MINT, "vault_token_account")?;',
      replace: '',
      noticedBy: ['test init-vault'],
    },
  ]),
  ...inWallet('instructions/set_max_deployed_fraction.rs', [
    {
      name: 'deadline-of-a-fraction',
      find: 'deadline::check(deadline)?;',
      replace: 'let _ = deadline;',
      noticedBy: ['test withheld', 'test set-max-deployed-fraction'],
    },
    {
      name: 'fraction-at-most-the-whole',
      find: 'if max_deployed_fraction_bp > MAX_BASIS_POINTS {',
      replace: 'if false {',
      noticedBy: ['test set-max-deployed-fraction'],
    },
  ]),
  ...inWallet('borsh.rs', [
    {
      name: 'end-of-the-arguments',
      find: 'if self.rest.is_empty() {',
      replace: 'if true {',
      noticedBy: ['test every-place'],
    },
  ]),
];
