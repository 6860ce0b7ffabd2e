/** One blockhash shared by a process and renewed in the background. */

import { setTimeout as delay } from 'node:timers/promises';

import { AppError } from '@agent-wallet/errors';

import type { LatestBlockhash } from './chain-reads.ts';
import type { Rpc } from './rpc.ts';

export type BlockhashSource = AsyncDisposable & {
  /** A blockhash no older than `maxAgeMs`; throws RPC_UNAVAILABLE when there is none. */
  current(): Promise<LatestBlockhash>;
};

export type BlockhashSourceOptions = {
  readonly rpc: Pick<Rpc, 'latestBlockhash'>;
  readonly refreshMs: number;
  readonly maxAgeMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly nowMs?: () => number;
};

/** Starts renewing at once; disposal stops it. */
export function createBlockhashSource(options: BlockhashSourceOptions): BlockhashSource {
  const { rpc, refreshMs, maxAgeMs, nowMs = () => performance.now() } = options;
  const stop = new AbortController();
  let newest: { readonly blockhash: LatestBlockhash; readonly requestedAtMs: number } | null = null;
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    const requestedAtMs = nowMs();
    const blockhash = await rpc.latestBlockhash();
    // Nodes behind one address may lag: an older blockhash never replaces a newer one.
    const isOlder = newest !== null && blockhash.slot < newest.blockhash.slot;
    if (!isOlder) newest = { blockhash, requestedAtMs };
  }

  function readOnce(): Promise<void> {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  }

  async function renew(): Promise<void> {
    while (!stop.signal.aborted) {
      // A failure surfaces in `current`, once the last blockhash is too old.
      await readOnce().catch(() => undefined);
      await delay(refreshMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }

  const renewing = renew();
  const fresh = (): LatestBlockhash | null =>
    newest !== null && nowMs() - newest.requestedAtMs <= maxAgeMs ? newest.blockhash : null;

  return {
    async current() {
      const known = fresh();
      if (known !== null) return known;
      await readOnce();
      const renewed = fresh();
      if (renewed === null) throw new AppError('RPC_UNAVAILABLE', { method: 'getLatestBlockhash' });
      return renewed;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await renewing;
    },
  };
}
