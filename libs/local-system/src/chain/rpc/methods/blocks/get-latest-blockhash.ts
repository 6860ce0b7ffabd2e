import bs58 from 'bs58';
import { z } from 'zod';
import { VALID_BLOCKS } from '../../../engine/slots/blockhashes.ts';
import { method } from '../../method.ts';
import { bankOf, contextConfig } from '../../params.ts';
import { withContext } from '../../with-context.ts';

export const getLatestBlockhash = method(z.tuple([contextConfig.nullish()]), (chain, [config]) => {
  const bank = bankOf(chain, config);
  const { bytes, height } = chain.blockhash(bank.commitment);
  const lastValidBlockHeight = height + VALID_BLOCKS;
  return withContext(bank, { blockhash: bs58.encode(bytes), lastValidBlockHeight });
});
