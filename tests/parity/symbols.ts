import { z } from 'zod';

/** A JSON value of an answer. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

export const jsonSchema: z.ZodType<Json> = z.json();

/** Numbers that differ from run to run, by the name of their field. */
const VARYING_NUMBERS: Readonly<Record<string, string>> = {
  absoluteSlot: '<slot>',
  blockHeight: '<height>',
  blockTime: '<unix seconds>',
  confirmations: '<count>',
  contextSlot: '<slot>',
  'feature-set': '<number>',
  lastValidBlockHeight: '<height>',
  parent: '<slot>',
  parentSlot: '<slot>',
  root: '<slot>',
  slot: '<slot>',
  slotIndex: '<slot>',
  subscription: '<subscription>',
  transactionCount: '<count>',
};

/** Strings that differ from run to run, by the name of their field. */
const VARYING_STRINGS: Readonly<Record<string, string>> = {
  apiVersion: '<version>',
  blockhash: '<blockhash>',
  previousBlockhash: '<blockhash>',
  recentBlockhash: '<blockhash>',
  'solana-core': '<version>',
};

/**
 * The names of one chain's values that no other chain has: signatures, blockhashes, random
 * addresses, the slots of landings. Two chains that behave alike have equal transcripts once each
 * value is replaced by its name.
 */
export type Symbols = {
  /** Names a string. */
  name(text: string, symbol: string): void;
  /** Remembers the slot of a landing: it differs in the transcript from every other slot. */
  nameSlot(slot: number): void;
  /** The value with names in place of what varies. */
  normalise(value: Json): Json;
};

export function createSymbols(): Symbols {
  const names = new Map<string, string>();
  const landings = new Set<number>();

  function text(value: string): string {
    const known = names.get(value);
    if (known !== undefined) return known;
    // Names also occur inside log lines and error messages.
    let replaced = value;
    for (const [long, symbol] of names) replaced = replaced.replaceAll(long, symbol);
    return replaced;
  }

  function field(key: string, value: Json, isContext: boolean): Json {
    if (typeof value === 'string') {
      return names.get(value) ?? VARYING_STRINGS[key] ?? text(value);
    }
    if (typeof value === 'number') {
      if (key === 'slot' && !isContext && landings.has(value)) return '<slot of a landing>';
      return VARYING_NUMBERS[key] ?? value;
    }
    return walk(value, key === 'context');
  }

  function walk(value: Json, isContext = false): Json {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map((one: Json) => walk(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, field(key, one, isContext)]),
    );
  }

  return {
    name: (value, symbol) => void names.set(value, symbol),
    // One name for all of them: two landings can share a slot on one chain alone.
    nameSlot: (slot) => void landings.add(slot),
    normalise: (value) => walk(value),
  };
}
