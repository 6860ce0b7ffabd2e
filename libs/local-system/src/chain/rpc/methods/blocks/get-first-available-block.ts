import { z } from 'zod';
import { method } from '../../method.ts';

/** The chain keeps its whole history. */
export const getFirstAvailableBlock = method(z.tuple([]), () => 0);
