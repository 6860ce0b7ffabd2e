import { createHash, createPrivateKey, sign as signBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  ASSOCIATED_TOKEN_PROGRAM_ID,
  getAssociatedTokenAddressSync,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import {
  Keypair,
  type Message,
  PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import { Clock, FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { idl } from './idl.ts';

type SvmTransaction = Parameters<LiteSVM['sendTransaction']>[0];
type SvmAddress = Parameters<LiteSVM['getAccount']>[0];
type SvmLamports = Parameters<LiteSVM['setAccount']>[0]['lamports'];

export const PROGRAM_ID = new PublicKey(idl.address);
export const USDC_MINT = new PublicKey('4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU');
/** Clock of every new chain, unix seconds; the middle of an hour. */
export const NOW = 1_800_001_800n;
/** Slot of every new chain. */
const SLOT = 447_552_000n;
/** Index of the first session of a vault that was created on a new chain. */
export const FIRST_INDEX = SLOT * 65_536n;
export const HOUR = 3_600n;
export const DAY = 24n * HOUR;
export const U64_MAX = 2n ** 64n - 1n;

/** PKCS #8 prefix of the 32 bytes of a private Ed25519 key. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The build under test; the environment names another. */
export const PROGRAM_FILE =
  process.env['AGENT_WALLET_SO'] ??
  fileURLToPath(new URL('../../artifacts/agent_wallet.so', import.meta.url));

/** Result of a transaction. */
export interface Outcome {
  readonly failed: boolean;
  readonly logs: string[];
  readonly computeUnits: number;
  /** Data of every inner instruction that calls this program. */
  readonly selfCalls: Buffer[];
  /** Every inner instruction. */
  readonly innerCalls: readonly InnerCall[];
}

/** A call by a program, with its accounts in order. */
export interface InnerCall {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Buffer;
}

/** An account as the tests see and set it. */
export interface AccountState {
  readonly lamports: bigint;
  readonly data: Buffer;
  readonly owner: PublicKey;
}

/**
 * A pure function that computes each value once. Keys and derived addresses cost up to a
 * millisecond each, and every world has the same ones.
 */
export function computedOnce<Args extends readonly unknown[], Value>(
  keyOf: (...args: Args) => string,
  compute: (...args: Args) => Value,
): (...args: Args) => Value {
  const known = new Map<string, Value>();
  return (...args) => {
    const key = keyOf(...args);
    const value = known.get(key) ?? compute(...args);
    known.set(key, value);
    return value;
  };
}

/** The same key pair for the same label, on every machine. */
export const keypair = computedOnce(
  (label: string) => label,
  (label) => Keypair.fromSeed(createHash('sha256').update(label).digest()),
);

/** The address of a program by the public test key in the repository. */
export function publicTestKey(name: string): PublicKey {
  const file = new URL(`../../keys/${name}-keypair.json`, import.meta.url);
  const secret: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return Keypair.fromSecretKey(Uint8Array.from(Array.isArray(secret) ? secret : [])).publicKey;
}

export const tokenAddress: (wallet: PublicKey, mint?: PublicKey) => PublicKey = computedOnce(
  (wallet, mint = USDC_MINT) => `${wallet.toBase58()} ${mint.toBase58()}`,
  (wallet, mint = USDC_MINT) => getAssociatedTokenAddressSync(mint, wallet, true),
);

/** The bump of {@link tokenAddress}. */
export const tokenBump: (wallet: PublicKey, mint?: PublicKey) => number = computedOnce(
  (wallet, mint = USDC_MINT) => `${wallet.toBase58()} ${mint.toBase58()}`,
  (wallet, mint = USDC_MINT) => {
    const seeds = [wallet, TOKEN_PROGRAM_ID, mint].map((key) => key.toBuffer());
    return PublicKey.findProgramAddressSync(seeds, ASSOCIATED_TOKEN_PROGRAM_ID)[1];
  },
);

/** A chain with the program (at `programId`) and the USDC mint, its clock at {@link NOW}. */
export function createChain(programId = PROGRAM_ID): LiteSVM {
  const svm = new LiteSVM();
  addProgram(svm, programId, PROGRAM_FILE);
  svm.warpToSlot(SLOT);
  setClock(svm, NOW);
  setMint(svm, USDC_MINT);
  return svm;
}

export function addProgram(svm: LiteSVM, programId: PublicKey, file: string): void {
  svm.addProgramFromFile(addressOf(programId), file);
}

export function setClock(svm: LiteSVM, unixTimestamp: bigint): void {
  const now = svm.getClock();
  svm.setClock(
    new Clock(now.slot, now.epochStartTimestamp, now.epoch, now.leaderScheduleEpoch, unixTimestamp),
  );
}

/** Advances the slot and keeps the time. */
export function passSlots(svm: LiteSVM, slots: bigint): void {
  const { slot, epochStartTimestamp, epoch, leaderScheduleEpoch, unixTimestamp } = svm.getClock();
  svm.setClock(
    new Clock(slot + slots, epochStartTimestamp, epoch, leaderScheduleEpoch, unixTimestamp),
  );
}

export function getAccount(svm: LiteSVM, address: PublicKey): AccountState | null {
  const account = svm.getAccount(addressOf(address));
  if (!account.exists) return null;
  return {
    lamports: account.lamports,
    data: Buffer.from(account.data),
    owner: new PublicKey(account.programAddress),
  };
}

export function setAccount(svm: LiteSVM, address: PublicKey, state: Partial<AccountState>): void {
  const { data, owner, lamports } = {
    data: Buffer.alloc(0),
    owner: SystemProgram.programId,
    lamports: 1_000_000_000n,
    ...getAccount(svm, address),
    ...state,
  };
  if (!isLamports(lamports)) throw new RangeError(`${lamports} lamports`);
  svm.setAccount({
    address: addressOf(address),
    data,
    programAddress: addressOf(owner),
    lamports,
    executable: false,
    space: BigInt(data.length),
  });
}

/** Removes the account; `dust` lamports remain at its address. */
export function removeAccount(svm: LiteSVM, address: PublicKey, dust = 0n): void {
  const owner = SystemProgram.programId;
  setAccount(svm, address, { data: Buffer.alloc(0), owner, lamports: dust });
}

/** Changes the data of an account that exists. */
export function editData(svm: LiteSVM, address: PublicKey, edit: (data: Buffer) => void): void {
  const account = getAccount(svm, address);
  if (account === null) throw new Error(`no account at ${address.toBase58()}`);
  edit(account.data);
  setAccount(svm, address, account);
}

/** An initialized mint with 6 decimals and no mint or freeze authority. */
export function setMint(svm: LiteSVM, address: PublicKey): void {
  const data = Buffer.alloc(82);
  data.writeUInt8(6, 44);
  data.writeUInt8(1, 45);
  setAccount(svm, address, { data, owner: TOKEN_PROGRAM_ID });
}

/** A token account of `wallet`, by default its associated one for USDC. */
export function setTokenAccount(
  svm: LiteSVM,
  wallet: PublicKey,
  amount: bigint,
  { address = tokenAddress(wallet), mint = USDC_MINT } = {},
): PublicKey {
  const data = Buffer.alloc(165);
  mint.toBuffer().copy(data, 0);
  wallet.toBuffer().copy(data, 32);
  data.writeBigUInt64LE(amount, 64);
  data.writeUInt8(1, 108);
  setAccount(svm, address, { data, owner: TOKEN_PROGRAM_ID, lamports: 2_039_280n });
  return address;
}

export function tokenBalance(svm: LiteSVM, address: PublicKey): bigint {
  return getAccount(svm, address)?.data.readBigUInt64LE(64) ?? 0n;
}

/** A signed transaction, which can land later. */
export interface Signed {
  readonly message: Message;
  readonly encoded: SvmTransaction;
}

/** Signs and executes the instructions as one transaction; the first signer pays the fee. */
export function send(
  svm: LiteSVM,
  instructions: TransactionInstruction[],
  signers: readonly [Keypair, ...Keypair[]],
): Outcome {
  // A new blockhash makes every transaction a different one.
  svm.expireBlockhash();
  return land(svm, sign(instructions, signers, svm.latestBlockhash()));
}

/** Signs the instructions as one transaction; `lifetime` is a blockhash or a durable nonce. */
export function sign(
  instructions: TransactionInstruction[],
  [payer, ...others]: readonly [Keypair, ...Keypair[]],
  lifetime: string,
): Signed {
  const feePayer = payer.publicKey;
  const recentBlockhash = lifetime;
  const transaction = new Transaction({ feePayer, recentBlockhash }).add(...instructions);
  const message = transaction.compileMessage();
  const messageBytes = message.serialize();
  const signatures = message.accountKeys
    .slice(0, message.header.numRequiredSignatures)
    .map((key) => [key.toBase58(), signatureOf([payer, ...others], key, messageBytes)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- branded types of another library
  const encoded = {
    messageBytes,
    signatures: Object.fromEntries(signatures),
  } as unknown as SvmTransaction;
  return { message, encoded };
}

/** Executes a signed transaction. */
export function land(svm: LiteSVM, { message: { accountKeys }, encoded }: Signed): Outcome {
  const result = svm.sendTransaction(encoded);
  const failed = result instanceof FailedTransactionMetadata;
  const metadata = failed ? result.meta() : result;
  const addressAt = (place: number): string => accountKeys[place]?.toBase58() ?? '';
  const innerCalls = metadata
    .innerInstructions()
    .flat()
    .map((one) => one.instruction())
    .map((one) => ({
      program: addressAt(one.programIdIndex()),
      accounts: [...one.accounts()].map(addressAt),
      data: Buffer.from(one.data()),
    }));
  return {
    failed,
    logs: metadata.logs(),
    computeUnits: Number(metadata.computeUnitsConsumed()),
    selfCalls: innerCalls
      .filter(({ program }) => program === PROGRAM_ID.toBase58())
      .map(({ data }) => data),
    innerCalls,
  };
}

/** Uses Node's Ed25519, ten times as fast as JavaScript's; null without the key. */
function signatureOf(
  signers: readonly Keypair[],
  key: PublicKey,
  message: Uint8Array,
): Uint8Array | null {
  const signer = signers.find(({ publicKey }) => publicKey.equals(key));
  if (signer === undefined) return null;
  const der = Buffer.concat([PKCS8_ED25519, signer.secretKey.subarray(0, 32)]);
  return signBytes(null, message, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
}

function addressOf(key: PublicKey): SvmAddress {
  const text = key.toBase58();
  if (!isAddress(text)) throw new TypeError(`${text} is no address`);
  return text;
}

// Both types are plain values that their library brands.
function isAddress(text: string): text is SvmAddress {
  return text.length >= 32;
}

function isLamports(amount: bigint): amount is SvmLamports {
  return amount >= 0n;
}
