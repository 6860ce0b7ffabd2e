import { z } from 'zod';
import { method } from '../../method.ts';
import { bankOf, contextConfig } from '../../params.ts';

export const getSlot = method(
  z.tuple([contextConfig.nullish()]),
  (chain, [config]) => bankOf(chain, config).slot,
);
