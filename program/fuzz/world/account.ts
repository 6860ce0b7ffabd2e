import { createHash } from 'node:crypto';
import type { Id, Universe } from './universe.ts';

/** The account at an address. */
export type Account = {
  lamports: bigint;
  /** The program that owns it. */
  owner: Id;
  data: Data;
};

export type Data = Empty | Vault | Session | Tokens | Mint | Reserve | Bytes;

type Empty = { kind: 'empty' };

export type Vault = {
  kind: 'vault';
  /** Of the layout; `openSessions` is 0 and not stored in version 1. */
  version: 1 | 2;
  bump: number;
  maxDeployedFractionBp: number;
  paused: boolean;
  yieldBump: number;
  deployed: bigint;
  nextSessionIndex: bigint;
  owner: Id;
  vaultTokens: Id;
  openSessions: bigint;
};

export type Session = {
  kind: 'session';
  bump: number;
  allowedInstructions: number;
  recipients: readonly Id[];
  index: bigint;
  maxPerTx: bigint;
  dailyCap: bigint;
  expiry: bigint;
  vault: Id;
  key: Id;
  /** Every transfer since its creation, in order. */
  spends: Spend[];
  /** Sequence numbers executed since its creation. */
  sequences: Set<bigint>;
  highest: bigint;
};

/** `countedAt` is the clock, or that of an earlier spend which was later than this one's. */
export type Spend = { readonly countedAt: bigint; readonly amount: bigint };

export type Tokens = {
  kind: 'tokens';
  mint: Id;
  owner: Id;
  amount: bigint;
  delegate: Id | null;
  closeAuthority: Id | null;
  frozen: boolean;
  /** With the extension `ImmutableOwner` of Token-2022. */
  extended: boolean;
  /** Of wrapped SOL, whose tokens are lamports beyond the account's rent. */
  native: boolean;
};

export type Mint = { kind: 'mint'; supply: bigint; authority: Id | null };

export type Reserve = {
  kind: 'reserve';
  slot: bigint;
  stale: boolean;
  available: bigint;
  borrowed: bigint;
  collateral: bigint;
  depositLimit: bigint;
  /** The rest of its bytes. */
  base: Uint8Array;
};

/** Any other data, which may begin like a vault or a session. */
export type Bytes = { kind: 'bytes'; beginsLike: 'vault' | 'session' | null; bytes: Uint8Array };

export const MAX_U64 = 2n ** 64n - 1n;
export const WHOLE_BASIS_POINTS = 10_000n;
export const HOUR_SECONDS = 3_600n;
export const DAY_SECONDS = 86_400n;
const BUCKETS = 25n;
const WINDOW = 256n;
const SESSION_BYTES = 696;
const VAULT_BYTES = { 1: 96, 2: 104 } as const;
export const TOKENS_BYTES = 165;
/** Kind of the account, then the extension's number and its length 0. */
const IMMUTABLE_OWNER = Buffer.from([2, 7, 0, 0, 0]);
const MINT_BYTES = 82;

/** Lamports that make an account rent-exempt. */
export function rentOf(bytes: number): bigint {
  return 6_960n * BigInt(128 + bytes);
}

export function vaultRent(version: 1 | 2): bigint {
  return rentOf(VAULT_BYTES[version]);
}

export const SESSION_RENT = rentOf(SESSION_BYTES);
export const TOKENS_RENT = rentOf(TOKENS_BYTES);

/** A token account as the token program creates it. */
export function newTokens(owner: Id, mint: Id, amount = 0n): Tokens {
  const unused = { delegate: null, closeAuthority: null, frozen: false };
  const kind = { extended: false, native: false };
  return { kind: 'tokens', mint, owner, amount, ...unused, ...kind };
}

/** The bytes on chain of this data: the layouts of the design and of the token program. */
export function encodeAccountData(data: Data, universe: Universe): Buffer {
  switch (data.kind) {
    case 'empty':
      return Buffer.alloc(0);
    case 'bytes':
      return Buffer.from(data.bytes);
    case 'vault':
      return encodeVault(data, universe);
    case 'session':
      return encodeSession(data, universe);
    case 'tokens':
      return encodeTokens(data, universe);
    case 'mint':
      return encodeMint(data, universe);
    case 'reserve':
      return encodeReserve(data);
    default:
      return data satisfies never;
  }
}

/** Anchor's mark of an account's type. */
export function discriminator(type: string): Buffer {
  return createHash('sha256').update(`account:${type}`).digest().subarray(0, 8);
}

const VAULT_DISCRIMINATOR = discriminator('Vault');
const SESSION_DISCRIMINATOR = discriminator('Session');

function encodeVault(vault: Vault, { addresses }: Universe): Buffer {
  const bytes = Buffer.alloc(VAULT_BYTES[vault.version]);
  bytes.set(VAULT_DISCRIMINATOR);
  bytes.writeUInt8(vault.version, 8);
  bytes.writeUInt8(vault.bump, 9);
  bytes.writeUInt16LE(vault.maxDeployedFractionBp, 10);
  bytes.writeUInt8(Number(vault.paused), 12);
  bytes.writeUInt8(vault.yieldBump, 13);
  bytes.writeBigUInt64LE(vault.deployed, 16);
  bytes.writeBigUInt64LE(vault.nextSessionIndex, 24);
  bytes.set(addresses[vault.owner] ?? [], 32);
  bytes.set(addresses[vault.vaultTokens] ?? [], 64);
  if (vault.version === 2) bytes.writeBigUInt64LE(vault.openSessions, 96);
  return bytes;
}

function encodeSession(session: Session, { addresses }: Universe): Buffer {
  const bytes = Buffer.alloc(SESSION_BYTES);
  bytes.set(SESSION_DISCRIMINATOR);
  bytes.writeUInt8(1, 8);
  bytes.writeUInt8(session.bump, 9);
  bytes.writeUInt16LE(session.allowedInstructions, 10);
  bytes.writeUInt8(session.recipients.length, 12);
  bytes.writeBigUInt64LE(session.index, 16);
  bytes.writeBigUInt64LE(session.maxPerTx, 24);
  bytes.writeBigUInt64LE(session.dailyCap, 32);
  bytes.writeBigInt64LE(session.expiry, 40);
  bytes.set(addresses[session.vault] ?? [], 48);
  bytes.set(addresses[session.key] ?? [], 80);
  session.recipients.forEach((id, place) => bytes.set(addresses[id] ?? [], 112 + 32 * place));
  writeSpendWindow(session.spends, bytes.subarray(432, 656));
  writeReplayWindow(session, bytes.subarray(656));
  return bytes;
}

/** Sum, start of the oldest counted hour, last clock, and 25 hourly buckets. */
function writeSpendWindow(spends: readonly Spend[], bytes: Buffer): void {
  const last = spends.at(-1);
  if (last === undefined) return;
  const hour = last.countedAt / HOUR_SECONDS;
  bytes.writeBigInt64LE((hour - 24n) * HOUR_SECONDS, 8);
  bytes.writeBigInt64LE(last.countedAt, 16);
  let sum = 0n;
  for (let place = spends.length - 1; place >= 0; place -= 1) {
    const spend = spends[place];
    if (spend === undefined || spend.countedAt / HOUR_SECONDS <= hour - BUCKETS) break;
    const at = 24 + 8 * Number((spend.countedAt / HOUR_SECONDS) % BUCKETS);
    bytes.writeBigUInt64LE(bytes.readBigUInt64LE(at) + spend.amount, at);
    sum += spend.amount;
  }
  bytes.writeBigUInt64LE(sum, 0);
}

/** The highest number, and one bit for it and each of the 255 before it. */
function writeReplayWindow({ highest, sequences }: Session, bytes: Buffer): void {
  bytes.writeBigUInt64LE(highest, 0);
  for (let back = 0n; back < WINDOW && back < highest; back += 1n) {
    const sequence = highest - back;
    if (!sequences.has(sequence)) continue;
    const bit = Number(sequence % WINDOW);
    const at = 8 + (bit >> 3);
    bytes.writeUInt8(bytes.readUInt8(at) | (1 << (bit & 7)), at);
  }
}

function encodeTokens(tokens: Tokens, universe: Universe): Buffer {
  const { addresses } = universe;
  const bytes = Buffer.alloc(TOKENS_BYTES);
  bytes.set(addresses[tokens.mint] ?? [], 0);
  bytes.set(addresses[tokens.owner] ?? [], 32);
  bytes.writeBigUInt64LE(tokens.amount, 64);
  writeOption(bytes, 72, tokens.delegate, universe);
  bytes.writeUInt8(tokens.frozen ? 2 : 1, 108);
  if (tokens.native) {
    bytes.writeUInt32LE(1, 109);
    bytes.writeBigUInt64LE(TOKENS_RENT, 113);
  }
  writeOption(bytes, 129, tokens.closeAuthority, universe);
  return tokens.extended ? Buffer.concat([bytes, IMMUTABLE_OWNER]) : bytes;
}

/** The token program's form of an address that may be missing. */
function writeOption(bytes: Buffer, at: number, id: Id | null, { addresses }: Universe): void {
  if (id === null) return;
  bytes.writeUInt32LE(1, at);
  bytes.set(addresses[id] ?? [], at + 4);
}

function encodeMint(mint: Mint, universe: Universe): Buffer {
  const bytes = Buffer.alloc(MINT_BYTES);
  writeOption(bytes, 0, mint.authority, universe);
  bytes.writeBigUInt64LE(mint.supply, 36);
  bytes.writeUInt8(6, 44);
  bytes.writeUInt8(1, 45);
  return bytes;
}

/** Kamino Lend's offsets; debts have 60 binary places. */
function encodeReserve(reserve: Reserve): Buffer {
  const bytes = Buffer.from(reserve.base);
  const borrowed = reserve.borrowed << 60n;
  bytes.writeBigUInt64LE(reserve.slot, 16);
  bytes.writeUInt8(Number(reserve.stale), 24);
  bytes.writeBigUInt64LE(reserve.available, 224);
  bytes.writeBigUInt64LE(borrowed & 0xffff_ffff_ffff_ffffn, 232);
  bytes.writeBigUInt64LE(borrowed >> 64n, 240);
  bytes.writeBigUInt64LE(reserve.collateral, 2_592);
  bytes.writeBigUInt64LE(reserve.depositLimit, 5_016);
  return bytes;
}
