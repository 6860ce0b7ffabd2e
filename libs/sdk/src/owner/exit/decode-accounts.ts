import { readBytes } from '../transaction/byte-reader.ts';

/** The vault's account on chain. Amounts are base units. */
export type VaultAccount = {
  readonly layout_version: number;
  readonly max_deployed_fraction_bp: number;
  readonly paused: boolean;
  readonly deployed_amount: bigint;
  readonly next_session_index: bigint;
  readonly owner: string;
  readonly vaultUsdcAta: string;
  /** How many sessions are open; null in layout version 1, which does not count them. */
  readonly open_sessions: bigint | null;
};

/** A session's account on chain, with the names of the API; `worstCase` takes it. */
export type SessionAccount = {
  readonly session_pda: string;
  readonly session_pubkey: string;
  readonly session_index: bigint;
  readonly vaultPda: string;
  readonly max_per_tx: bigint;
  readonly daily_cap: bigint;
  /** Unix seconds. */
  readonly expiry: number;
  readonly allowed_instructions: number;
  readonly allowed_recipients: readonly string[];
  /** By hour, what was spent in the 25 hours up to the last spend. */
  readonly daily_spent_by_hour: readonly { readonly hour: number; readonly amount: bigint }[];
};

const VAULT = '211,8,232,43,2,152,117,119';
const SESSION = '243,81,72,115,214,188,72,144';
const VAULT_1_BYTES = 96;
const MAX_RECIPIENTS = 10;
const BUCKETS = 25;
const HOUR_SECONDS = 3_600;

/** Null for bytes that are no vault of a known layout. */
export function decodeVault(data: Uint8Array): VaultAccount | null {
  if (data.length < VAULT_1_BYTES) return null;
  const read = readBytes(data, 'the vault');
  if (read.take(8).join() !== VAULT) return null;
  const version = read.byte();
  read.take(1);
  const fraction = Number(read.unsigned(2));
  const paused = read.byte() !== 0;
  read.take(3);
  const account = {
    layout_version: version,
    max_deployed_fraction_bp: fraction,
    paused,
    deployed_amount: read.unsigned(8),
    next_session_index: read.unsigned(8),
    owner: read.address(),
    vaultUsdcAta: read.address(),
  };
  const isCounted = version > 1 && data.length >= VAULT_1_BYTES + 8;
  return { ...account, open_sessions: isCounted ? read.unsigned(8) : null };
}

/** Null for bytes that are no session. */
export function decodeSession(address: string, data: Uint8Array): SessionAccount | null {
  const read = readBytes(data, 'the session');
  if (data.length < SESSION_BYTES || read.take(8).join() !== SESSION) return null;
  read.take(2);
  const bits = Number(read.unsigned(2));
  const recipients = Math.min(read.byte(), MAX_RECIPIENTS);
  read.take(3);
  const session_index = read.unsigned(8);
  const max_per_tx = read.unsigned(8);
  const daily_cap = read.unsigned(8);
  const expiry = Number(read.signed(8));
  const vaultPda = read.address();
  const session_pubkey = read.address();
  const list = Array.from({ length: MAX_RECIPIENTS }, () => read.address());
  // The sum and the start of the window as of the last spend: the buckets have both.
  read.take(16);
  const lastHour = Math.floor(Number(read.signed(8)) / HOUR_SECONDS);
  const buckets = Array.from({ length: BUCKETS }, () => read.unsigned(8));
  return {
    session_pda: address,
    session_pubkey,
    session_index,
    vaultPda,
    max_per_tx,
    daily_cap,
    expiry,
    allowed_instructions: bits,
    allowed_recipients: list.slice(0, recipients),
    daily_spent_by_hour: Array.from({ length: BUCKETS }, (_, at) => lastHour - BUCKETS + 1 + at)
      .filter((hour) => hour >= 0)
      .map((hour) => ({ hour: hour * HOUR_SECONDS, amount: buckets[hour % BUCKETS] ?? 0n }))
      .filter(({ amount }) => amount > 0n),
  };
}

const SESSION_BYTES = 656;
