/** What a node holds for our program, written byte by byte as the program's IDL describes it. */
import { createHash } from 'node:crypto';
import { AccountLayout, AccountState, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';

const EVENT_TAG = Buffer.from('e445a52e51cb9a1d', 'hex');
const MOST_RECIPIENTS = 10;
const HOURS = 25;
/** After the two instructions about the compute budget. */
export const SPEND_INSTRUCTION = 2;

/** A transfer as its bytes ask for it. Addresses in base58, `spendId` a uuid. */
export type SentTransfer = {
  readonly signature: string;
  readonly signatures: readonly string[];
  readonly blockhash: string;
  readonly programs: readonly string[];
  readonly vault: string;
  readonly session: string;
  readonly recipient: string;
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

/** Reads the wire bytes of a transfer; throws when they are anything else. */
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
  const hex = data.subarray(32, 48).toString('hex');
  return {
    signature: bs58.encode(signatures[0] ?? zeros(64)),
    signatures: signatures.map((signature) => bs58.encode(signature)),
    blockhash: message.recentBlockhash,
    programs: message.compiledInstructions.map(({ programIdIndex }) => keyAt(programIdIndex)),
    vault: keyAt(instruction.accountKeyIndexes[1]),
    session: keyAt(instruction.accountKeyIndexes[2]),
    recipient: keyAt(instruction.accountKeyIndexes[4]),
    amount: data.readBigUInt64LE(8),
    spendSeq: data.readBigUInt64LE(16),
    sessionIndex: data.readBigUInt64LE(24),
    spendId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  };
}

/** A session account with index 0 that may only transfer and never expires. */
export function sessionBytes(session: SessionAccount): Buffer {
  const { recipients, highestSeq, bitmap } = session;
  return Buffer.concat([
    discriminator('account', 'Session'),
    Buffer.from([1, 255, 1, 0, recipients.length, 0, 0, 0]),
    ...[0n, session.maxPerTx, session.dailyCap, 4_000_000_000n].map(u64),
    ...[session.vault, session.sessionPubkey, ...recipients].map(key),
    zeros(32 * (MOST_RECIPIENTS - recipients.length)),
    zeros(3 * 8 + HOURS * 8),
    ...[highestSeq, ...bitmap].map(u64),
  ]);
}

/** A vault account that is not paused and has one session. */
export function vaultBytes(owner: string, tokenAccount: string): Buffer {
  const head = Buffer.from([1, 255, 0, 0, 0, 0, 0, 0]);
  const numbers = [0n, 1n].map(u64);
  return Buffer.concat([
    discriminator('account', 'Vault'),
    head,
    ...numbers,
    key(owner),
    key(tokenAccount),
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

/** The data of the program's call to itself that tells of a transfer. */
export function transferredBytes(transfer: SentTransfer, balanceAfter: bigint): Buffer {
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
