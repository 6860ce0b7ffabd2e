/** A node's bytes for our program, encoded by hand from its IDL. */
import { createHash } from 'node:crypto';
import type { Reserve } from '@agent-wallet/chain';
import { AccountLayout, AccountState, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';

const EVENT_TAG = Buffer.from('e445a52e51cb9a1d', 'hex');
const MOST_RECIPIENTS = 10;
const HOURS = 25;
/** After the two instructions about the compute budget. */
export const SPEND_INSTRUCTION = 2;

/** The instruction of a session. */
export type SpendVerb = 'transfer_usdc' | 'yield_deposit' | 'yield_withdraw';

/** A spend as decoded from its bytes. Addresses in base58, `spendId` a uuid. */
export type SentTransfer = {
  readonly verb: SpendVerb;
  readonly signature: string;
  readonly signatures: readonly string[];
  readonly blockhash: string;
  readonly programs: readonly string[];
  readonly vault: string;
  readonly session: string;
  /** Null for yield. */
  readonly recipient: string | null;
  readonly amount: bigint;
  readonly spendSeq: bigint;
  readonly sessionIndex: bigint;
  readonly spendId: string;
};

export type SessionAccount = {
  readonly vault: string;
  readonly sessionPubkey: string;
  readonly maxPerTx: bigint;
  readonly dailyCap: bigint;
  readonly recipients: readonly string[];
  readonly highestSeq: bigint;
  readonly bitmap: readonly bigint[];
};

const discriminator = (kind: string, name: string): Buffer =>
  createHash('sha256').update(`${kind}:${name}`).digest().subarray(0, 8);
const key = (address: string): Buffer => Buffer.from(new PublicKey(address).toBytes());
const zeros = (bytes: number): Buffer => Buffer.alloc(bytes);

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

const VERBS = ['transfer_usdc', 'yield_deposit', 'yield_withdraw'] as const;
/** The collateral to redeem, before the sequence number. */
const BYTES_OF_COLLATERAL = 8;

function verbOf(data: Buffer): SpendVerb {
  const verb = VERBS.find((name) => discriminator('global', name).equals(data.subarray(0, 8)));
  if (verb === undefined) throw new RangeError('there is no spend in these bytes');
  return verb;
}

/** Decodes the wire bytes of a spend; throws when they are anything else. */
export function readTransfer(wire: Uint8Array): SentTransfer {
  const { message, signatures } = VersionedTransaction.deserialize(wire);
  const keyAt = (index: number | undefined): string => {
    const found = index === undefined ? undefined : message.staticAccountKeys[index];
    if (found === undefined) throw new RangeError('an instruction names no such account');
    return found.toBase58();
  };
  const instruction = message.compiledInstructions[SPEND_INSTRUCTION];
  if (instruction === undefined) throw new RangeError('there is no transfer in these bytes');
  const data = Buffer.from(instruction.data);
  const verb = verbOf(data);
  const at = 16 + (verb === 'yield_withdraw' ? BYTES_OF_COLLATERAL : 0);
  const hex = data.subarray(at + 16, at + 32).toString('hex');
  return {
    verb,
    signature: bs58.encode(signatures[0] ?? zeros(64)),
    signatures: signatures.map((signature) => bs58.encode(signature)),
    blockhash: message.recentBlockhash,
    programs: message.compiledInstructions.map(({ programIdIndex }) => keyAt(programIdIndex)),
    vault: keyAt(instruction.accountKeyIndexes[1]),
    session: keyAt(instruction.accountKeyIndexes[2]),
    recipient: verb === 'transfer_usdc' ? keyAt(instruction.accountKeyIndexes[4]) : null,
    amount: data.readBigUInt64LE(8),
    spendSeq: data.readBigUInt64LE(at),
    sessionIndex: data.readBigUInt64LE(at + 8),
    spendId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  };
}

/** A session account with index 0 that may do everything and never expires. */
export function sessionBytes(session: SessionAccount): Buffer {
  const { recipients, highestSeq, bitmap } = session;
  return Buffer.concat([
    discriminator('account', 'Session'),
    Buffer.from([1, 255, 7, 0, recipients.length, 0, 0, 0]),
    ...[0n, session.maxPerTx, session.dailyCap, 4_000_000_000n].map(u64),
    ...[session.vault, session.sessionPubkey, ...recipients].map(key),
    zeros(32 * (MOST_RECIPIENTS - recipients.length)),
    zeros(3 * 8 + HOURS * 8),
    ...[highestSeq, ...bitmap].map(u64),
  ]);
}

/** A vault account that is not paused, has one open session and may deploy everything. */
export function vaultBytes(owner: string, tokenAccount: string, deployed: bigint): Buffer {
  const head = Buffer.from([2, 255, 0x10, 0x27, 0, 0, 0, 0]);
  const numbers = [deployed, 1n].map(u64);
  return Buffer.concat([
    discriminator('account', 'Vault'),
    head,
    ...numbers,
    key(owner),
    key(tokenAccount),
    u64(1n),
  ]);
}

export function tokenAccountBytes(mint: string, owner: string, amount: bigint): Buffer {
  const data = Buffer.alloc(AccountLayout.span);
  AccountLayout.encode(
    {
      mint: new PublicKey(mint),
      owner: new PublicKey(owner),
      amount,
      delegateOption: 0,
      delegate: PublicKey.default,
      state: AccountState.Initialized,
      isNativeOption: 0,
      isNative: 0n,
      delegatedAmount: 0n,
      closeAuthorityOption: 0,
      closeAuthority: PublicKey.default,
    },
    data,
  );
  return data;
}

export const TOKEN_PROGRAM = TOKEN_PROGRAM_ID.toBase58();

const RESERVE_BYTES = 8_624;

/** A reserve's account that has lent nothing out, at one to one. */
export function reserveBytes(reserve: Reserve, liquidity: bigint): Buffer {
  const data = zeros(RESERVE_BYTES);
  discriminator('account', 'Reserve').copy(data);
  data.writeBigUInt64LE(1n, 8);
  key(reserve.lendingMarket).copy(data, 32);
  key(reserve.liquiditySupply).copy(data, 160);
  data.writeBigUInt64LE(liquidity, 224);
  key(reserve.collateralMint).copy(data, 2_560);
  data.writeBigUInt64LE(liquidity, 2_592);
  return data;
}

/** The data of the program's call to itself that records a spend. */
export function spentBytes(
  spend: SentTransfer,
  after: { readonly balance: bigint; readonly deployed: bigint },
): Buffer {
  const { verb, recipient, amount, spendSeq } = spend;
  const id = Buffer.from(spend.spendId.replaceAll('-', ''), 'hex');
  if (recipient !== null) return transferredBytes({ ...spend, recipient }, after.balance);
  const name = verb === 'yield_deposit' ? 'YieldDeposited' : 'YieldWithdrawn';
  return Buffer.concat([
    EVENT_TAG,
    discriminator('event', name),
    key(spend.vault),
    Buffer.from([1]),
    key(spend.session),
    u64(spend.sessionIndex),
    u64(spendSeq),
    id,
    ...[amount, amount, amount, after.deployed, after.balance, 1_700_000_000n].map(u64),
  ]);
}

function transferredBytes(
  transfer: SentTransfer & { readonly recipient: string },
  balanceAfter: bigint,
): Buffer {
  return Buffer.concat([
    EVENT_TAG,
    discriminator('event', 'UsdcTransferred'),
    key(transfer.vault),
    key(transfer.session),
    u64(transfer.sessionIndex),
    key(transfer.recipient),
    u64(transfer.amount),
    u64(transfer.spendSeq),
    Buffer.from(transfer.spendId.replaceAll('-', ''), 'hex'),
    ...[transfer.amount, 0n, balanceAfter, 1_700_000_000n].map(u64),
  ]);
}
