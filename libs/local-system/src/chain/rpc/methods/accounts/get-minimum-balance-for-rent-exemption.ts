import { z } from 'zod';
import { method } from '../../method.ts';
import { contextConfig } from '../../params.ts';
import { u64 } from '../../json/u64.ts';

/** The largest account. */
const MAX_BYTES = 10 * 1_024 * 1_024;

export const getMinimumBalanceForRentExemption = method(
  z.tuple([z.int().nonnegative().max(MAX_BYTES), contextConfig.nullish()]),
  (chain, [dataLength]) => u64(chain.rentExemption(dataLength)),
);
