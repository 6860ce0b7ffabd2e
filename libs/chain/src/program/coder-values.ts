/**
 * The parse boundary of the IDL coder: converts its loosely typed values into plain, checked ones.
 */

import { PublicKey } from '@solana/web3.js';
import { BN } from './big-number.ts';

/** Integers above 32 bits are bigint, keys base58, byte arrays hex. */
export type PlainValue = string | number | bigint | boolean | null | readonly PlainValue[];
export type PlainRecord = Readonly<Record<string, PlainValue>>;

const isByte = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;

/** The decimal text of the coder's big number, null for other values. */
function decimalsOf(value: object): string | null {
  const decimals: unknown = BN.isBN(value) ? new BN(value).toString(10) : null;
  return typeof decimals === 'string' ? decimals : null;
}

function plainValueOf(value: unknown): PlainValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') {
    return value;
  }
  if (value instanceof PublicKey) return value.toBase58();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every(isByte)) return Buffer.from(value).toString('hex');
    return value.map(plainValueOf);
  }
  const decimals = typeof value === 'object' ? decimalsOf(value) : null;
  if (decimals !== null) return BigInt(decimals);
  throw new TypeError('the coder gave a value of an unknown shape');
}

/** A decoded struct as a plain record. */
export function plainRecordOf(value: unknown): PlainRecord {
  if (typeof value !== 'object' || value === null) throw new TypeError('not a decoded struct');
  const entries = Object.entries(value).map(
    ([name, field]) => [name, plainValueOf(field)] as const,
  );
  return Object.fromEntries(entries);
}

function fieldOf(record: PlainRecord, name: string): PlainValue {
  const value = record[name];
  if (value === undefined) throw new TypeError(`there is no field ${name}`);
  return value;
}

export function bigintField(record: PlainRecord, name: string): bigint {
  const value = fieldOf(record, name);
  if (typeof value !== 'bigint') throw new TypeError(`${name} is not a 64-bit integer`);
  return value;
}

export function numberField(record: PlainRecord, name: string): number {
  const value = fieldOf(record, name);
  if (typeof value !== 'number') throw new TypeError(`${name} is not a small integer`);
  return value;
}

export function stringField(record: PlainRecord, name: string): string {
  const value = fieldOf(record, name);
  if (typeof value !== 'string') throw new TypeError(`${name} is not an address or bytes`);
  return value;
}

export function booleanField(record: PlainRecord, name: string): boolean {
  const value = fieldOf(record, name);
  if (typeof value !== 'boolean') throw new TypeError(`${name} is not a boolean`);
  return value;
}

export function bigintsField(record: PlainRecord, name: string): readonly bigint[] {
  const value = fieldOf(record, name);
  if (!Array.isArray(value)) throw new TypeError(`${name} is not a list`);
  return value.map((item: PlainValue) => {
    if (typeof item !== 'bigint') throw new TypeError(`${name} holds no 64-bit integers`);
    return item;
  });
}

export function stringsField(record: PlainRecord, name: string): readonly string[] {
  const value = fieldOf(record, name);
  if (!Array.isArray(value)) throw new TypeError(`${name} is not a list`);
  return value.map((item: PlainValue) => {
    if (typeof item !== 'string') throw new TypeError(`${name} holds no addresses`);
    return item;
  });
}
