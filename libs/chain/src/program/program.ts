/** The accounts and events of our program as plain objects. */

import { createAddresses, type Addresses, type Deployment } from './addresses.ts';
import type { AccountSnapshot, ChainTransaction } from '../rpc/read/chain-reads.ts';
import {
  bigintField,
  bigintsField,
  booleanField,
  numberField,
  plainRecordOf,
  stringField,
  stringsField,
} from './coder-values.ts';
import { decodeEvents, type ProgramEvent } from './events.ts';
import { coder } from './idl.ts';

const VAULT_BYTES_1 = 8 + 1 + 1 + 2 + 1 + 3 + 8 + 8 + 32 + 32;
const OPEN_SESSIONS_BYTES = 8;
const SESSION_BYTES = 8 + 1 + 1 + 2 + 1 + 3 + 8 * 4 + 32 * 12 + 8 * 3 + 8 * 25 + 8 + 8 * 4;

/** Sizes with the discriminator, by version; an account of any other size is not one of ours. */
const BYTES_BY_VERSION = {
  Vault: new Map([
    [1, VAULT_BYTES_1],
    [2, VAULT_BYTES_1 + OPEN_SESSIONS_BYTES],
  ]),
  Session: new Map([[1, SESSION_BYTES]]),
};

export type VaultState = {
  readonly owner: string;
  readonly maxDeployedFractionBp: number;
  readonly deployedAmount: bigint;
  readonly paused: boolean;
  /** The index that the next session of this vault gets; far from 0 for a new vault. */
  readonly nextSessionIndex: bigint;
  /** Sessions that are not revoked; null in a vault of version 1, which does not count them. */
  readonly openSessions: bigint | null;
  readonly vaultTokenAccount: string;
};

/** Amounts in base units, times in unix seconds. */
export type SessionState = {
  readonly vault: string;
  readonly sessionPubkey: string;
  readonly index: bigint;
  readonly maxPerTx: bigint;
  readonly dailyCap: bigint;
  readonly expiry: bigint;
  readonly allowedInstructions: number;
  readonly recipients: readonly string[];
  /** At the last spend; the current sum is computed from `window`. */
  readonly dailySpent: bigint;
  readonly dailyWindowStart: bigint;
  readonly window: { readonly buckets: readonly bigint[]; readonly lastSeen: bigint };
  readonly replay: { readonly highestSeq: bigint; readonly bitmap: readonly bigint[] };
};

export type WalletProgram = Deployment & {
  readonly addresses: Addresses;
  /** The vault in an account; null when it is not ours (owner, discriminator, size, version). */
  decodeVault(account: AccountSnapshot): VaultState | null;
  /** The session in an account; null when it is not a session of ours. */
  decodeSession(account: AccountSnapshot): SessionState | null;
  /** The events of a transaction, from the program's calls to itself only, not from logs. */
  eventsOf(transaction: ChainTransaction): readonly ProgramEvent[];
};

function isStateAccount(
  account: AccountSnapshot,
  programId: string,
  name: 'Vault' | 'Session',
): boolean {
  const { data, owner } = account;
  const version = data[8];
  if (owner !== programId || version === undefined) return false;
  if (data.length !== BYTES_BY_VERSION[name].get(version)) return false;
  const discriminator = coder.accounts.accountDiscriminator(name);
  return discriminator.equals(data.subarray(0, 8));
}

function readVault(data: Uint8Array): VaultState {
  // The coder knows the newest layout; version 1 lacks the last field.
  const countsSessions = data.length > VAULT_BYTES_1;
  const whole = countsSessions ? [data] : [data, Buffer.alloc(OPEN_SESSIONS_BYTES)];
  const record = plainRecordOf(coder.accounts.decode('Vault', Buffer.concat(whole)));
  return {
    owner: stringField(record, 'owner'),
    maxDeployedFractionBp: numberField(record, 'max_deployed_fraction_bp'),
    deployedAmount: bigintField(record, 'deployed_amount'),
    paused: booleanField(record, 'paused'),
    nextSessionIndex: bigintField(record, 'next_session_index'),
    openSessions: countsSessions ? bigintField(record, 'open_sessions') : null,
    vaultTokenAccount: stringField(record, 'vault_token_account'),
  };
}

function readSession(data: Uint8Array): SessionState {
  const record = plainRecordOf(coder.accounts.decode('Session', Buffer.from(data)));
  const recipientCount = numberField(record, 'recipients_count');
  return {
    vault: stringField(record, 'vault'),
    sessionPubkey: stringField(record, 'session_pubkey'),
    index: bigintField(record, 'index'),
    maxPerTx: bigintField(record, 'max_per_tx'),
    dailyCap: bigintField(record, 'daily_cap'),
    expiry: bigintField(record, 'expiry'),
    allowedInstructions: numberField(record, 'allowed_instructions'),
    recipients: stringsField(record, 'recipients').slice(0, recipientCount),
    dailySpent: bigintField(record, 'daily_spent'),
    dailyWindowStart: bigintField(record, 'daily_window_start'),
    window: {
      buckets: bigintsField(record, 'buckets'),
      lastSeen: bigintField(record, 'last_seen'),
    },
    replay: {
      highestSeq: bigintField(record, 'highest_seq'),
      bitmap: bigintsField(record, 'bitmap'),
    },
  };
}

/** The program of one deployment. Throws when an id is not a base58 address. */
export function createWalletProgram(deployment: Deployment): WalletProgram {
  const { programId, usdcMint } = deployment;
  const addresses = createAddresses(deployment);
  return {
    programId,
    usdcMint,
    addresses,
    decodeVault: (account) =>
      isStateAccount(account, programId, 'Vault') ? readVault(account.data) : null,
    decodeSession: (account) =>
      isStateAccount(account, programId, 'Session') ? readSession(account.data) : null,
    eventsOf: (transaction) => decodeEvents(transaction, programId),
  };
}
