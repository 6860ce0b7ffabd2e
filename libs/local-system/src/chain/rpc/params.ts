/** Schemas of parameters that several methods have in common. */

import bs58 from 'bs58';
import { z } from 'zod';
import type { Commitment } from '../engine/accounts/account-state.ts';
import { parseAddress } from '../engine/accounts/addresses.ts';
import type { ChainEngine } from '../engine/chain-engine.ts';
import { minContextSlotNotReached } from './rpc-error.ts';

const HASH_BYTES = 32;

export const commitmentParam = z.enum(['processed', 'confirmed', 'finalized']);

/** What most methods take as their last parameter. */
const contextFields = {
  commitment: commitmentParam.nullish(),
  minContextSlot: z.int().nonnegative().nullish(),
};
export const contextConfig = z.object(contextFields);

export const addressParam = z
  .string()
  .refine((text) => parseAddress(text) !== null, 'an address is the base58 text of 32 bytes');

const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** Whether a text has the shape of a signature; what is none is not found in any history. */
export const isSignature = (text: string): boolean => SIGNATURE.test(text);

/** The first signature of a transaction. */
export const signatureParam = z
  .string()
  .refine(isSignature, 'a signature is the base58 text of 64 bytes');

export const blockhashParam = z
  .string()
  .transform((text) => bs58.decodeUnsafe(text) ?? new Uint8Array())
  .refine((bytes) => bytes.length === HASH_BYTES, 'a blockhash is the base58 text of 32 bytes');

export const accountConfig = z.object({
  ...contextFields,
  encoding: z.enum(['binary', 'base58', 'base64', 'base64+zstd', 'jsonParsed']).nullish(),
  dataSlice: z.object({ offset: z.int().nonnegative(), length: z.int().nonnegative() }).nullish(),
});

export type Bank = { readonly commitment: Commitment; readonly slot: number };

/** The state to read from. Throws -32016 when it is older than the caller accepts. */
export function bankOf(
  chain: ChainEngine,
  config: z.output<typeof contextConfig> | null | undefined,
): Bank {
  const commitment = config?.commitment ?? 'finalized';
  const slot = chain.slot(commitment);
  if (slot < (config?.minContextSlot ?? 0)) throw minContextSlotNotReached(slot);
  return { commitment, slot };
}
