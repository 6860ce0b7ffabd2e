import { z } from 'zod';
import { method } from '../../method.ts';

export const getHealth = method(z.tuple([]), () => 'ok');
