import {
  ComputeBudgetInstruction,
  ComputeBudgetProgram,
  type CompiledInstruction,
  PublicKey,
  TransactionInstruction,
  VersionedTransaction,
  type VersionedMessage,
} from '@solana/web3.js';

/** What the transaction of a payment would cost its fee payer, and what it names it for. */
export type Payment = {
  /** The message that the payer signed. */
  readonly messageBytes: Uint8Array;
  readonly feePayer: string;
  /** The accounts and programs of all instructions. */
  readonly named: ReadonlySet<string>;
  readonly signatures: number;
  /** Base fee and priority fee in lamports; null without a compute unit limit and price. */
  readonly feeLamports: bigint | null;
};

/** The size of a packet, and so of a transaction. */
const MOST_BYTES = 1_232;
const BASE_FEE_LAMPORTS = 5_000n;
const MICRO_LAMPORTS = 1_000_000n;
const COMPUTE_BUDGET = ComputeBudgetProgram.programId;

/**
 * Reads the transaction in base64. Null for anything else, and for a transaction with address
 * lookup tables, whose accounts its bytes do not show.
 */
export function readPayment(base64: string): Payment | null {
  const wire = Buffer.from(base64, 'base64');
  if (wire.toString('base64') !== base64 || wire.length > MOST_BYTES) return null;
  let message: VersionedMessage;
  try {
    ({ message } = VersionedTransaction.deserialize(wire));
  } catch {
    return null;
  }
  if (message.addressTableLookups.length > 0) return null;
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  const [feePayer] = keys;
  if (feePayer === undefined) return null;
  const indexes = message.compiledInstructions.flatMap(({ programIdIndex, accountKeyIndexes }) => [
    programIdIndex,
    ...accountKeyIndexes,
  ]);
  const signatures = message.header.numRequiredSignatures;
  return {
    messageBytes: message.serialize(),
    feePayer,
    named: new Set(indexes.map((index) => keys[index] ?? '')),
    signatures,
    feeLamports: feeOf(message, keys, signatures),
  };
}

function feeOf(
  { compiledInstructions }: VersionedMessage,
  keys: readonly string[],
  signatures: number,
): bigint | null {
  const [limit, price] = compiledInstructions.map((one) => budgetInstruction(one, keys));
  try {
    if (limit == null || price == null) return null;
    const { units } = ComputeBudgetInstruction.decodeSetComputeUnitLimit(limit);
    const { microLamports } = ComputeBudgetInstruction.decodeSetComputeUnitPrice(price);
    const priority = BigInt(units) * BigInt(microLamports);
    const rounded = (priority + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
    return BigInt(signatures) * BASE_FEE_LAMPORTS + rounded;
  } catch {
    return null;
  }
}

function budgetInstruction(
  { programIdIndex, data }: CompiledInstruction | { programIdIndex: number; data: Uint8Array },
  keys: readonly string[],
): TransactionInstruction | null {
  if (keys[programIdIndex] !== COMPUTE_BUDGET.toBase58()) return null;
  const programId = new PublicKey(COMPUTE_BUDGET);
  return new TransactionInstruction({ programId, keys: [], data: Buffer.from(data) });
}
