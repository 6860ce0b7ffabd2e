/** What a transaction costs its fee payer. */

import type { WireMessage } from './wire-transaction.ts';

const LAMPORTS_PER_SIGNATURE = 5_000n;
const MICRO_LAMPORTS = 1_000_000n;
const MAX_UNITS = 1_400_000;
const DEFAULT_UNITS = 200_000;
const DEFAULT_BUILTIN_UNITS = 3_000;
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const SET_LIMIT = 2;
const SET_PRICE = 3;

/** Their first bytes count the signatures that they verify. */
const SIGNATURE_PROGRAMS = new Set([
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
]);

const BUILTINS = new Set([
  '11111111111111111111111111111111',
  COMPUTE_BUDGET,
  'Vote111111111111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  ...SIGNATURE_PROGRAMS,
]);

/** The price that a message offers, in micro-lamports per compute unit. */
export function computeUnitPriceOf(message: WireMessage): bigint {
  return budgetOf(message).price;
}

/** The fee in lamports: signatures, and the priority fee rounded up. */
export function feeOf(message: WireMessage): number {
  const { limit, price } = budgetOf(message);
  const priority = (price * BigInt(limit) + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
  return Number(LAMPORTS_PER_SIGNATURE * BigInt(signatureCountOf(message)) + priority);
}

function budgetOf({ keys, instructions }: WireMessage): { limit: number; price: bigint } {
  let limit: number | null = null;
  let price = 0n;
  let byDefault = 0;
  for (const { programIdIndex, data } of instructions) {
    const program = keys[programIdIndex] ?? '';
    byDefault += BUILTINS.has(program) ? DEFAULT_BUILTIN_UNITS : DEFAULT_UNITS;
    if (program !== COMPUTE_BUDGET) continue;
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    if (data[0] === SET_LIMIT && data.length >= 5) limit = view.getUint32(1, true);
    if (data[0] === SET_PRICE && data.length >= 9) price = view.getBigUint64(1, true);
  }
  return { limit: Math.min(limit ?? byDefault, MAX_UNITS), price };
}

function signatureCountOf({ keys, instructions, requiredSignatures }: WireMessage): number {
  const verified = instructions
    .filter(({ programIdIndex }) => SIGNATURE_PROGRAMS.has(keys[programIdIndex] ?? ''))
    .reduce((sum, { data }) => sum + (data[0] ?? 0), 0);
  return requiredSignatures + verified;
}
