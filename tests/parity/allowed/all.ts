/**
 * Where our chain and Surfnet differ, and why ours is right: it follows Agave, the software of
 * Solana's nodes. Files are those of anza-xyz/agave. An entry holds our value to a condition, so a
 * change of ours there is noticed as well. Limits of our chain are called limits.
 */
import type { AllowedDifference } from '../compare.ts';
import { PROTOCOL, SUBSCRIPTIONS, TEXTS } from './calls.ts';
import { READS } from './reads.ts';
import { SENDS, SIMULATIONS } from './sends.ts';

export const ALLOWED_DIFFERENCES: readonly AllowedDifference[] = [
  ...TEXTS,
  ...PROTOCOL,
  ...SENDS,
  ...SIMULATIONS,
  ...READS,
  ...SUBSCRIPTIONS,
];
