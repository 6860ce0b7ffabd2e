import { listenForLandings } from '@agent-wallet/chain';
import { type Logger, startLoop } from '@agent-wallet/process';
import type { LandingHints } from './landing-hints.ts';

const RECONNECT_MS = 1_000;

/**
 * Keeps one subscription to each node and notes the landings that it notifies. A subscription that
 * ends is replaced; a node that accepts none gets another request after 1, 2, 4 … 30 s.
 */
export function listenToNodes({
  urls,
  programId,
  hints,
  log,
}: {
  /** ws or wss. */
  readonly urls: readonly string[];
  readonly programId: string;
  readonly hints: Pick<LandingHints, 'note' | 'setLive'>;
  readonly log: Logger;
}): AsyncDisposable {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loops = urls.map((url, endpoint) =>
    startLoop({
      run: async () => {
        const onLive = (isLive: boolean): void => {
          hints.setLive(isLive);
          log.info({ endpoint, isLive }, 'subscription to landings');
        };
        await listenForLandings({ url, programId, signal, onLive, onLanding: hints.note });
        return RECONNECT_MS;
      },
      onError: (error) => log.debug({ endpoint, err: error }, 'no subscription to landings'),
    }),
  );
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await Promise.all(loops.map((loop) => loop.close()));
    },
  };
}
