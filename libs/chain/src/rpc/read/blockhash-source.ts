/** One blockhash shared by a process, renewed in the background while it is used. */

import { setTimeout as delay } from 'node:timers/promises';

import { AppError } from '@agent-wallet/errors';

import type { LatestBlockhash } from './chain-reads.ts';
import type { Rpc } from '../rpc.ts';

export type BlockhashSource = AsyncDisposable & {
  /** A blockhash no older than `maxAgeMs`; throws RPC_UNAVAILABLE when there is none. */
  current(): Promise<LatestBlockhash>;
};

export type BlockhashSourceOptions = {
  readonly rpc: Pick<Rpc, 'latestBlockhash'>;
  /** An older blockhash is still returned, and renewed meanwhile. */
  readonly refreshMs: number;
  /** An older blockhash is not returned. */
  readonly maxAgeMs: number;
  /** Renewal interval of an unused source. Without renewals, the next caller waits for an RPC call. */
  readonly idleRefreshMs?: number;
  /** A monotonic clock, in milliseconds. */
  readonly nowMs?: () => number;
};

/** Disposal ends the renewals of an idle process. */
export function createBlockhashSource(options: BlockhashSourceOptions): BlockhashSource {
  const { rpc, refreshMs, maxAgeMs, idleRefreshMs, nowMs = () => performance.now() } = options;
  const stop = new AbortController();
  let newest: { readonly blockhash: LatestBlockhash; readonly requestedAtMs: number } | null = null;
  let reading: Promise<void> | null = null;
  let triedAtMs = Number.NEGATIVE_INFINITY;

  async function read(): Promise<void> {
    const requestedAtMs = nowMs();
    triedAtMs = requestedAtMs;
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

  /** A failure surfaces in `current`, once the last blockhash is too old. */
  async function renewWhenDue(): Promise<void> {
    if (nowMs() - triedAtMs >= refreshMs) await readOnce().catch(() => undefined);
  }

  async function renewWhileIdle(everyMs: number): Promise<void> {
    while (!stop.signal.aborted) {
      await renewWhenDue();
      await delay(everyMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }

  const renewing = idleRefreshMs === undefined ? null : renewWhileIdle(idleRefreshMs);
  const fresh = (): LatestBlockhash | null =>
    newest !== null && nowMs() - newest.requestedAtMs <= maxAgeMs ? newest.blockhash : null;

  return {
    async current() {
      const known = fresh();
      if (known !== null) {
        void renewWhenDue();
        return known;
      }
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
