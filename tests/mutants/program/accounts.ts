import { inWallet, type Mutant } from '../mutant.ts';

/** Checks of single accounts: signature, owner, type, address. */
export const accountMutants: readonly Mutant[] = [
  ...inWallet('checks/inlined.rs', [
    {
      name: 'signature',
      find: 'if account.is_signer() {',
      replace: 'if true {',
      noticedBy: ['test every-place', 'test two-wallets', 'surface program'],
    },
    {
      name: 'right-to-write',
      find: 'if account.is_writable() {',
      replace: 'if true {',
      noticedBy: ['test set-paused'],
    },
    {
      name: 'owner-program',
      find: 'if account.owned_by(owner) {',
      replace: 'if true {',
      noticedBy: ['test forged-accounts'],
    },
    {
      name: 'discriminator',
      find: 'if discriminator != Some(T::DISCRIMINATOR) {',
      replace: 'if false {',
      noticedBy: ['test forged-accounts', 'test set-paused'],
    },
    {
      name: 'length-and-version',
      find: 'if !T::LENGTHS.iter().zip(1..).any(known) || !aligned {',
      replace: 'if data.len() < size_of::<T>() {',
      noticedBy: ['test set-paused', 'test forged-accounts'],
    },
    {
      name: 'version-of-a-length',
      find: 'data.len() == *length && data[8] == version;',
      replace: 'data.len() == *length && version > 0;',
      noticedBy: ['test set-paused', 'test forged-accounts'],
    },
    {
      name: 'length-of-a-version',
      find: 'data.len() == *length && data[8] == version;',
      replace: 'data.len() >= *length && data[8] == version;',
      noticedBy: ['test forged-accounts'],
    },
    {
      name: 'vault-of-the-session',
      find: 'if !address_eq(&session.vault, vault.address()) {',
      replace: 'if false {',
      noticedBy: ['test two-wallets', 'surface program'],
    },
    {
      name: 'fixed-addresses',
      find: 'if address_eq(account.address(), expected) {',
      replace: 'if true {',
      noticedBy: ['test every-place'],
    },
    {
      name: 'mint-of-a-token-account',
      find: 'if !address_eq(token_account.mint(), mint) {',
      replace: 'if false {',
      noticedBy: ['test owner-withdraw'],
    },
    {
      name: 'owner-of-a-token-account',
      find: 'if !address_eq(token_account.owner(), wallet) {',
      replace: 'if false {',
      noticedBy: ['test hostile-reserve', 'test owner-withdraw'],
    },
    {
      name: 'address-of-the-vaults-token-account',
      find: 'address(account, expected, Error::ConstraintAssociated, name)?;',
      replace: '',
      noticedBy: ['test transfer-usdc'],
    },
  ]),
  ...inWallet('checks.rs', [
    {
      name: 'owner-of-the-vault',
      find: 'if address_eq(&vault.owner, owner.address()) {',
      replace: 'if true {',
      noticedBy: ['test two-wallets'],
    },
    {
      name: 'program-address-and-its-bump',
      find: 'Some((expected, bump)) if address_eq(account.address(), &expected) => Ok(bump),',
      replace: 'Some((_, bump)) => Ok(bump),',
      noticedBy: ['test revival'],
    },
    {
      name: 'frozen-token-account',
      find: 'if !token_account.is_initialized() || token_account.is_frozen() {',
      replace: 'if false {',
      noticedBy: ['test hostile-reserve'],
    },
    {
      name: 'delegate-of-a-token-account',
      find: 'if token_account.has_delegate() {',
      replace: 'if false {',
      noticedBy: ['test hostile-reserve'],
    },
    {
      name: 'close-authority-of-a-token-account',
      find: 'if token_account.has_close_authority() {',
      replace: 'if false {',
      noticedBy: ['test hostile-reserve'],
    },
    {
      name: 'associated-address',
      find: 'if is_associated_address(account.address(), wallet, mint) {',
      replace: 'if true {',
      noticedBy: ['test yield-deposit'],
    },
  ]),
  ...inWallet('create_account.rs', [
    {
      name: 'account-exists-already',
      find: 'if checks::exists(account) {',
      replace: 'if false {',
      noticedBy: ['test revival'],
    },
  ]),
  ...inWallet('lib.rs', [
    {
      name: 'own-program-address',
      find: 'if !same(program_id, &ID) {',
      replace: 'if false {',
      noticedBy: ['test tests/program.test'],
    },
  ]),
  ...inWallet('event.rs', [
    {
      name: 'event-authority-signature',
      find: 'if !event_authority.is_signer() {',
      replace: 'if false {',
      noticedBy: ['test calls-by-programs'],
    },
    {
      name: 'event-accounts',
      find: 'checks::address(event_authority, &AUTHORITY_ADDRESS, Error::ConstraintSeeds, name)?;',
      replace: '',
      noticedBy: ['test set-paused'],
    },
  ]),
];
