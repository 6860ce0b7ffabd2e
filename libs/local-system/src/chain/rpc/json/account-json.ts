/** Accounts as nodes show them, in each encoding. */

import { zstdCompressSync } from 'node:zlib';
import bs58 from 'bs58';
import type { z } from 'zod';
import type { AccountState } from '../../engine/accounts/account-state.ts';
import type { accountConfig } from '../params.ts';
import { parsedAccountData } from './parsed-account.ts';
import { INVALID_REQUEST, RpcError } from '../rpc-error.ts';
import { u64 } from './u64.ts';

/** Base58 of more bytes is refused: its cost grows with the square of the length. */
const MAX_BASE58_BYTES = 128;

/** How a caller wants to see accounts. */
export type AccountView = Pick<z.output<typeof accountConfig>, 'encoding' | 'dataSlice'>;
/** Reads another account of the same state, such as the mint of a token account. */
type ReadAccount = (address: string) => AccountState | null;

export function accountJson(
  account: AccountState | null,
  config: AccountView | null | undefined,
  read: ReadAccount,
): object | null {
  if (account === null) return null;
  return {
    data: dataJson(account, config ?? {}, read),
    executable: account.executable,
    lamports: u64(account.lamports),
    owner: account.owner,
    rentEpoch: u64(account.rentEpoch),
    space: account.data.length,
  };
}

function dataJson(account: AccountState, { encoding, dataSlice }: AccountView, read: ReadAccount) {
  if (encoding === 'jsonParsed') {
    const parsed = parsedAccountData(account, read);
    if (parsed !== null) return parsed;
  }
  const bytes =
    dataSlice === null || dataSlice === undefined
      ? account.data
      : account.data.subarray(dataSlice.offset, dataSlice.offset + dataSlice.length);
  switch (encoding) {
    case 'base64':
    case 'jsonParsed':
      return [base64(bytes), 'base64'];
    case 'base64+zstd':
      return [base64(zstdCompressSync(bytes)), 'base64+zstd'];
    case 'base58':
      return [base58(bytes), 'base58'];
    case 'binary':
    case null:
    case undefined:
      return base58(bytes);
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function base58(bytes: Uint8Array): string {
  if (bytes.length > MAX_BASE58_BYTES) {
    throw new RpcError(
      INVALID_REQUEST,
      `Encoded binary (base 58) data should be less than ${MAX_BASE58_BYTES} bytes, please use ` +
        'Base64 encoding.',
    );
  }
  return bs58.encode(bytes);
}
