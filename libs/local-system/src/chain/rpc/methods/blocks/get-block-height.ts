import { z } from 'zod';
import { method } from '../../method.ts';
import { bankOf, contextConfig } from '../../params.ts';

export const getBlockHeight = method(z.tuple([contextConfig.nullish()]), (chain, [config]) =>
  chain.height(bankOf(chain, config).commitment),
);
