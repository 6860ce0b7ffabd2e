import { z } from 'zod';
import { method } from '../../method.ts';
import { NODE_VERSION } from '../../node-version.ts';

export const getVersion = method(z.tuple([]), () => ({
  'solana-core': NODE_VERSION,
  'feature-set': 0,
}));
