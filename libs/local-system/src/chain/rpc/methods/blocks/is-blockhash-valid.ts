import { z } from 'zod';
import { method } from '../../method.ts';
import { bankOf, blockhashParam, contextConfig } from '../../params.ts';
import { withContext } from '../../with-context.ts';

export const isBlockhashValid = method(
  z.tuple([blockhashParam, contextConfig.nullish()]),
  (chain, [blockhash, config]) => {
    const bank = bankOf(chain, config);
    return withContext(bank, chain.isBlockhashValid(blockhash, bank.commitment));
  },
);
