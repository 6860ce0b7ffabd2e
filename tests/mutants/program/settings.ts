import type { Mutant } from './mutant.ts';

/** Checks of what the owner sets and signs, and of the arguments of all instructions. */
export const mutantsOfSettings: readonly Mutant[] = [
  {
    name: 'owner-of-a-revocation',
    file: 'instructions/revoke_session.rs',
    place: 'checks::owned_vault(vault, owner)?;',
    replacement: '',
    noticedBy: ['two-wallets'],
  },
  {
    name: 'session-is-closed',
    file: 'instructions/revoke_session.rs',
    place: 'session.close()',
    replacement: 'Ok(())',
    noticedBy: ['revival'],
  },
  {
    name: 'owner-of-new-limits',
    file: 'instructions/update_session_limits.rs',
    place: 'checks::owned_vault(vault, owner)?;',
    replacement: '',
    noticedBy: ['two-wallets'],
  },
  {
    name: 'owner-is-paid',
    file: 'instructions/owner_withdraw.rs',
    place:
      'checks::token_account(owner_token_account, owner.address(), &USDC_MINT, "owner_token_account")?;',
    replacement: '',
    noticedBy: ['two-wallets'],
  },
  {
    name: 'index-of-a-new-session',
    file: 'instructions/add_session.rs',
    place: 'index.checked_add(1)',
    replacement: 'index.checked_add(0)',
    noticedBy: ['revival'],
  },
  {
    name: 'limit-above-zero',
    file: 'instructions/limits.rs',
    place: 'if self.max_per_tx == 0 || self.daily_cap == 0 {',
    replacement: 'if false {',
    noticedBy: ['add-session'],
  },
  {
    name: 'expiry-ahead',
    file: 'instructions/limits.rs',
    place: 'if self.expiry <= now {',
    replacement: 'let _ = now; if false {',
    noticedBy: ['add-session'],
  },
  {
    name: 'unknown-instruction-bit',
    file: 'instructions/limits.rs',
    place: 'if self.allowed_instructions & !KNOWN_INSTRUCTIONS != 0 {',
    replacement: 'if false {',
    noticedBy: ['add-session'],
  },
  {
    name: 'ten-recipients',
    file: 'instructions/recipients.rs',
    place: 'if recipients.len() > MAX_RECIPIENTS {',
    replacement: 'if false {',
    noticedBy: ['add-session'],
  },
  {
    name: 'forbidden-recipient',
    file: 'instructions/recipients.rs',
    place:
      'if is_recipient(&Address::default()) || forbidden.iter().any(|one| is_recipient(one)) {',
    replacement: 'let _ = forbidden; if false {',
    noticedBy: ['add-session'],
  },
  {
    name: 'recipient-listed-twice',
    file: 'instructions/recipients.rs',
    place: 'if recipients[..place].iter().any(is_recipient) {',
    replacement: 'let _ = (place, is_recipient); if false {',
    noticedBy: ['add-session'],
  },
  {
    name: 'fraction-of-a-new-vault',
    file: 'instructions/init_vault.rs',
    place: 'if max_deployed_fraction_bp > MAX_BASIS_POINTS {',
    replacement: 'if false {',
    noticedBy: ['init-vault'],
  },
  {
    name: 'fraction-at-most-the-whole',
    file: 'instructions/set_max_deployed_fraction.rs',
    place: 'if max_deployed_fraction_bp > MAX_BASIS_POINTS {',
    replacement: 'if false {',
    noticedBy: ['set-max-deployed-fraction'],
  },
  {
    name: 'token-account-of-a-new-vault',
    file: 'instructions/init_vault.rs',
    place:
      'checks::own_token_account(vault_token_account, &address, &USDC_MINT, "vault_token_account")?;',
    replacement: '',
    noticedBy: ['init-vault'],
  },
  {
    name: 'end-of-the-arguments',
    file: 'borsh.rs',
    place: 'if self.rest.is_empty() {',
    replacement: 'if true {',
    noticedBy: ['every-place'],
  },
];
