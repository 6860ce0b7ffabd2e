/** Token accounts and mints as fields; nodes parse more programs, callers here need these. */

import { AccountLayout, AccountState as TokenState, MintLayout } from '@solana/spl-token';
import type { AccountState } from '../../engine/accounts/account-state.ts';
import {
  isTokenProgram,
  readDecimals,
  readTokenAccount,
  uiTokenAmount,
} from '../../engine/accounts/token-balances.ts';

const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

/** Null when the account is neither; the caller then gets its bytes. */
export function parsedAccountData(
  account: AccountState,
  read: (address: string) => AccountState | null,
): object | null {
  if (!isTokenProgram(account.owner)) return null;
  const parsed = parsedToken(account, read) ?? parsedMint(account);
  if (parsed === null) return null;
  const program = account.owner === TOKEN_2022 ? 'spl-token-2022' : 'spl-token';
  return { program, parsed, space: account.data.length };
}

function parsedToken(account: AccountState, read: (address: string) => AccountState | null) {
  const token = readTokenAccount(account);
  if (token === null) return null;
  const decimals = readDecimals(read(token.mint)) ?? 0;
  const fields = AccountLayout.decode(account.data);
  const info = {
    isNative: fields.isNativeOption === 1,
    mint: token.mint,
    owner: token.owner,
    state: fields.state === TokenState.Frozen ? 'frozen' : 'initialized',
    tokenAmount: uiTokenAmount(token.amount, decimals),
    ...(fields.delegateOption === 1 && {
      delegate: fields.delegate.toBase58(),
      delegatedAmount: uiTokenAmount(fields.delegatedAmount, decimals),
    }),
    ...(fields.closeAuthorityOption === 1 && { closeAuthority: fields.closeAuthority.toBase58() }),
  };
  return { info, type: 'account' };
}

function parsedMint(account: AccountState) {
  if (readDecimals(account) === null) return null;
  const fields = MintLayout.decode(account.data);
  const info = {
    decimals: fields.decimals,
    freezeAuthority: fields.freezeAuthorityOption === 1 ? fields.freezeAuthority.toBase58() : null,
    isInitialized: fields.isInitialized,
    mintAuthority: fields.mintAuthorityOption === 1 ? fields.mintAuthority.toBase58() : null,
    supply: fields.supply.toString(),
  };
  return { info, type: 'mint' };
}
