import { z } from 'zod';
import { method } from '../../method.ts';
import { blockNotAvailable } from '../../rpc-error.ts';

export const getBlockTime = method(z.tuple([z.int().nonnegative()]), (chain, [slot]) => {
  const time = chain.blockTime(slot);
  if (time === null) throw blockNotAvailable(slot);
  return time;
});
