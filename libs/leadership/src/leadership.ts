import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Database } from '@agent-wallet/db';
import { type Logger, type Loop, startLoop } from '@agent-wallet/process';
import type { Registry } from 'prom-client';
import { createLeadershipMetrics } from './leadership-metrics.ts';
import { createLedTask, type LedPass, type LedTask } from './led-task.ts';
import { releaseLeases } from './release-leases.ts';
import { takeLeases } from './take-leases.ts';

export type { LedPass } from './led-task.ts';

const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 2_000;
/** After an outage of the database the tasks must not wait long for a leader. */
const BACKOFF = { firstMs: 1_000, mostMs: 2_000 };

export type Leadership = {
  /**
   * Runs the passes of a task while this copy leads it. A pass that throws is repeated after 1, 2,
   * 4 … 30 s; after three in a row the copy lets another one lead. Returns how to wake it.
   */
  readonly lead: (
    task: string,
    options: {
      readonly run: LedPass;
      readonly onError: (error: unknown) => void;
      /** Called when this copy no longer leads: its measurements are stale. */
      readonly onStoodDown?: () => void;
    },
  ) => Pick<Loop, 'wake'>;
  /** Stops the loops after their running pass and gives the leases back. */
  readonly close: () => Promise<void>;
};

type LeadershipDeps = {
  readonly db: Database;
  readonly registry: Registry;
  readonly log: Logger;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicMs: () => number;
  readonly leaseMs?: number;
  readonly renewEveryMs?: number;
};

type Led = { readonly task: LedTask; readonly loop: Loop };

/**
 * Shares tasks among the copies of a process: a copy runs a task while it holds its lease, and all
 * leases of a copy are taken and renewed in one statement. A copy that died is replaced when its
 * leases end. Two copies may lead for a moment, so every write of a task must allow for that.
 */
export function createLeadership(deps: LeadershipDeps): Leadership {
  const { db, log, monotonicMs, leaseMs = LEASE_MS, renewEveryMs = RENEW_EVERY_MS } = deps;
  const holder = `${hostname()}/${process.pid}/${randomUUID()}`;
  const metrics = createLeadershipMetrics(deps.registry);
  const led = new Map<string, Led>();

  async function renew(): Promise<number> {
    const fit = [...led].filter(([, { task }]) => task.wantsLease()).map(([name]) => name);
    const fromMs = monotonicMs();
    const leases = fit.length === 0 ? [] : await takeLeases(db, { tasks: fit, holder, leaseMs });
    const held = new Map(leases.map((lease) => [lease.task, lease]));
    const released: string[] = [];
    for (const [name, { task, loop }] of led) {
      const lease = held.get(name);
      const isFit = task.wantsLease();
      if (!isFit || lease === undefined) {
        if (!isFit) released.push(name);
        task.hold(null);
        continue;
      }
      // Counted from before the statement: the lease here ends before the database's.
      if (!task.hold({ fence: lease.fence, untilMs: fromMs + leaseMs })) continue;
      log.info({ task: name, fence: String(lease.fence) }, 'leads a task');
      if (lease.isTakenOver) metrics.tookOver(name);
      loop.wake();
    }
    await releaseLeases(db, { tasks: released, holder });
    return renewEveryMs;
  }

  const renewal = startLoop({
    run: renew,
    onError: (error) => log.warn({ err: error }, 'leases cannot be renewed'),
    backoff: BACKOFF,
  });
  return {
    lead: (name, options) => {
      const task = createLedTask({ ...options, monotonicMs });
      const loop = startLoop({ run: task.pass, onError: options.onError });
      led.set(name, { task, loop });
      metrics.watch(name, task.leads);
      renewal.wake();
      return { wake: loop.wake };
    },
    close: async () => {
      await renewal.close();
      await Promise.all([...led.values()].map(({ loop }) => loop.close()));
      await releaseLeases(db, { tasks: [...led.keys()], holder }).catch((error: unknown) =>
        log.warn({ err: error }, 'leases are not given back; they run out'),
      );
    },
  };
}
