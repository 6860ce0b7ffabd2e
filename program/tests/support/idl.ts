import { BN, BorshCoder, type Idl } from '@coral-xyz/anchor';
import { PublicKey } from '@solana/web3.js';
import json from '../../idl/agent_wallet.json' with { type: 'json' };

export type InstructionName = (typeof json.instructions)[number]['name'];

/** The IDL with the names of the file. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON has no literal types
export const idl = json as unknown as Idl;
export const coder = new BorshCoder(idl);

/** Replaces each `bigint` by the coder's big number. */
export function toCoder(value: unknown): unknown {
  if (typeof value === 'bigint') return new BN(value.toString());
  if (Array.isArray(value)) return value.map(toCoder);
  if (isRecord(value)) return mapValues(value, toCoder);
  return value;
}

/** Replaces the coder's numbers and keys by `bigint` and base58 strings. */
export function fromCoder(value: unknown): unknown {
  if (BN.isBN(value)) return BigInt(String(value));
  if (value instanceof PublicKey) return value.toBase58();
  if (Array.isArray(value)) return value.map(fromCoder);
  if (isRecord(value)) return mapValues(value, fromCoder);
  return value;
}

/** Like {@link fromCoder}, for an account. */
export function recordFromCoder(record: Record<string, unknown>): Record<string, unknown> {
  return mapValues(record, fromCoder);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && value.constructor === Object;
}

function mapValues(
  record: Record<string, unknown>,
  map: (value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
