import type { ChainEngine } from '../chain-engine.ts';

/** Begins a slot every `slotTimeMs`; returns a function that ends this. */
export function startSlotTimer(
  engine: Pick<ChainEngine, 'advance'>,
  slotTimeMs: number,
): () => void {
  const timer = setInterval(() => engine.advance(), slotTimeMs);
  return () => clearInterval(timer);
}
