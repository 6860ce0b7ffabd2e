import { z } from 'zod';
import { method } from '../../method.ts';

export const getGenesisHash = method(z.tuple([]), (chain) => chain.genesisHash);
