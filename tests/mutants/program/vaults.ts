import { inWallet, type Mutant } from '../mutant.ts';

/** Layouts of a vault, and its end. */
export const vaultMutants: readonly Mutant[] = [
  ...inWallet('instructions/migrate_vault.rs', [
    {
      name: 'owner-of-a-migration',
      find: 'checks::owned_vault_mut(vault, owner)?;',
      replace: 'checks::view_mut::<Vault>(vault, "vault")?;',
      noticedBy: ['test migrate-vault'],
    },
    {
      name: 'migrated-once',
      find: 'if state.version == Vault::VERSION {',
      replace: 'if false {',
      noticedBy: ['test migrate-vault', 'test vault-revival'],
    },
    {
      name: 'rent-of-a-migration',
      find: 'if missing > 0 {',
      replace: 'if missing > u64::MAX - 1 {',
      noticedBy: ['test migrate-vault'],
    },
    {
      name: 'sessions-of-a-migrated-vault',
      find: '|_| created',
      replace: '|_| created & 0',
      noticedBy: ['test migrate-vault', 'test vault-revival'],
    },
  ]),
  ...inWallet('instructions/close_vault.rs', [
    {
      name: 'owner-of-a-closing',
      find: 'checks::owned_vault(vault, owner)?;',
      replace: 'checks::vault(vault)?;',
      noticedBy: ['test close-vault'],
    },
    {
      name: 'token-account-of-a-closing',
      find: 'checks::vault_token_account(vault_token_account, &state.vault_token_account)?;',
      replace: '',
      noticedBy: ['test close-vault'],
    },
    {
      name: 'canonical-yield-accounts',
      find: 'if !authority.as_ref().is_some_and(|wallet| is_token_account(account, wallet, mint)) {',
      replace: 'if authority.is_none() {',
      noticedBy: ['test close-vault', 'test every-place'],
    },
    {
      name: 'index-of-a-closing',
      find: 'if next_session_index != state.next_session_index {',
      replace: 'let _ = next_session_index; if false {',
      noticedBy: ['test withheld', 'test close-vault'],
    },
    {
      name: 'closed-without-sessions',
      find: '_ => Err(Error::SessionsOpen),',
      replace: 'count => if count == u64::MAX { Err(Error::SessionsOpen) } else { Ok(()) },',
      noticedBy: ['test close-vault', 'test vault-revival'],
    },
    {
      name: 'closed-without-sessions-of-an-old-layout',
      find: 'open_sessions(data).unwrap_or(state.next_session_index)',
      replace: 'open_sessions(data).unwrap_or(state.next_session_index & 0)',
      noticedBy: ['test close-vault', 'test vault-revival'],
    },
    {
      name: 'closed-without-a-deployed-amount',
      find: 'state.deployed_amount > 0 || balance > 0',
      replace: 'balance > 0',
      noticedBy: ['test close-vault'],
    },
    {
      name: 'closed-without-usdc',
      find: 'balance > 0 || has_yield_accounts {',
      replace: 'has_yield_accounts && balance < u64::MAX {',
      noticedBy: ['test close-vault'],
    },
    {
      name: 'closed-without-yield-accounts',
      find: '|| has_yield_accounts {',
      replace: '|| (has_yield_accounts && balance > 0) {',
      noticedBy: ['test close-vault'],
    },
    {
      name: 'indexes-come-once',
      find: 'Some(first) if state.next_session_index < first => Ok(()),',
      replace: 'Some(first) if state.next_session_index <= first => Ok(()),',
      noticedBy: ['test close-vault', 'test vault-revival'],
    },
    {
      name: 'vault-is-closed',
      find: 'vault.close()',
      replace: 'Ok(())',
      noticedBy: ['test vault-revival'],
    },
  ]),
];
