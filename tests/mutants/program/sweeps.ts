import { inWallet, type Mutant } from '../mutant.ts';

/** Checks of what the owner takes out besides USDC of the vault's own account. */
export const sweepMutants: readonly Mutant[] = [
  ...inWallet('token_programs.rs', [
    {
      name: 'owner-program-of-swept-tokens',
      find: 'checks::owned_by(self.account, self.token_program.address(), name)?;',
      replace: '',
      noticedBy: ['test sweep-token-account'],
    },
    {
      name: 'length-of-swept-tokens',
      find: 'if data.len() < TokenAccount::LEN {',
      replace: 'if false {',
      noticedBy: ['test sweep-token-account'],
    },
    {
      name: 'mint-and-owner-of-swept-tokens',
      find: 'checks::inlined::held_by(token_account, wallet, mint, name)?;',
      replace: '',
      noticedBy: ['test sweep-token-account'],
    },
    {
      name: 'owner-program-of-a-swept-mint',
      find: 'checks::owned_by(self.mint, self.token_program.address(), "mint")?;',
      replace: '',
      noticedBy: ['test sweep-token-account'],
    },
    {
      name: 'two-token-programs',
      find: 'checks::token_program(account)',
      replace: 'Ok(())',
      noticedBy: ['test sweep-token-account', 'test leaving'],
    },
  ]),
  ...inWallet('instructions/sweep_token_account.rs', [
    {
      name: 'deadline-of-a-sweep',
      find: 'deadline::check(deadline)?;',
      replace: 'let _ = deadline;',
      noticedBy: ['test withheld', 'test sweep-token-account'],
    },
    {
      name: 'own-account-is-not-swept',
      find: 'if address_eq(token_account.address(), &vault_token_account) {',
      replace: 'let _ = vault_token_account; if false {',
      noticedBy: ['test sweep-token-account'],
    },
    {
      name: 'destination-of-a-sweep',
      find: 'owners.balance("owner_token_account")?;',
      replace: 'let _ = owners;',
      noticedBy: ['test sweep-token-account'],
    },
    {
      name: 'sweep-needs-a-destination',
      find: '} else if amount > 0 {',
      replace: '} else if false {',
      noticedBy: ['test sweep-token-account'],
    },
    {
      name: 'something-to-sweep',
      find: 'if amount == 0 && !close {',
      replace: 'if false {',
      noticedBy: ['test sweep-token-account'],
    },
    {
      name: 'swept-collateral-of-the-yield-authority',
      find: 'if !is_vault\n        && address_eq(mint.address(), collateral_mint)',
      replace: 'if address_eq(mint.address(), collateral_mint)',
      noticedBy: ['test sweep-token-account'],
    },
    {
      name: 'swept-collateral-at-its-address',
      find: '&& is_associated_address(token_account.address(), authority.address(), collateral_mint)',
      replace:
        '&& (true || is_associated_address(token_account.address(), authority.address(), collateral_mint))',
      noticedBy: ['test sweep-token-account'],
    },
    {
      name: 'swept-collateral-is-not-deployed',
      find: 'checks::view_mut::<Vault>(vault, "vault")?.deployed_amount = deployed_amount;',
      replace: '',
      noticedBy: ['test sweep-token-account'],
    },
  ]),
  ...inWallet('instructions/sweep_lamports.rs', [
    {
      name: 'rent-of-the-vault-stays',
      find: 'vault.lamports().saturating_sub(minimum_balance(vault.data_len())?)',
      replace: 'vault.lamports().saturating_sub(minimum_balance(0)?)',
      noticedBy: ['test sweep-lamports'],
    },
    {
      name: 'lamports-to-sweep',
      find: 'if amount == 0 {',
      replace: 'if false {',
      noticedBy: ['test sweep-lamports'],
    },
  ]),
];
