import { createLogger } from '@agent-wallet/process';
import { createFinalizeLandings } from '../../../apps/confirm-worker/src/finality/finalize-landings.ts';
import { createJudgeAttempts } from '../../../apps/confirm-worker/src/resolve/resolve-attempts.ts';
import { createMetrics } from '../../../apps/confirm-worker/src/metrics.ts';
import {
  createIsUnused,
  createRebroadcast,
} from '../../../apps/confirm-worker/src/watch/rebroadcast.ts';
import { createSettleVerdict } from '../../../apps/confirm-worker/src/resolve/resolve-verdict.ts';
import { createWatchSignatures } from '../../../apps/confirm-worker/src/watch/watch-signatures.ts';
import type { WriteDeps } from '../../../apps/confirm-worker/src/resolve/write-settlements.ts';
import type { ScriptedChain } from './scripted-chain.ts';
import type { SpendRows } from '../database/spend-rows.ts';

/** The confirm-worker's passes over a scripted chain, run one at a time by the test. */
export type Confirming = {
  readonly writing: WriteDeps;
  readonly nudged: string[];
  /** Bytes that went out again, in order. */
  readonly resent: readonly Buffer[];
  readonly clock: { nowMs: number };
  /** Looks at landings that are not final. */
  readonly finalize: () => Promise<number>;
  /** Looks at the attempts that are due. */
  readonly watch: () => Promise<number>;
  readonly alerts: () => Promise<Readonly<Record<string, number>>>;
};

export function createConfirming(rows: SpendRows, chain: ScriptedChain): Confirming {
  const metrics = createMetrics();
  const log = createLogger({ name: 'test', level: 'silent' });
  const nudged: string[] = [];
  const resent: Buffer[] = [];
  const clock = { nowMs: 0 };
  const { pool, program } = chain;
  const nudge = async (sessionId: string): Promise<void> => {
    nudged.push(sessionId);
  };
  const writing: WriteDeps = { db: rows.db, nudge, log, metrics };
  return {
    writing,
    nudged,
    resent,
    clock,
    finalize: createFinalizeLandings({ ...writing, rpc: pool.rpc, program }),
    watch: createWatchSignatures({
      ...writing,
      watcher: 'test',
      judge: createJudgeAttempts({ pool, program, metrics }),
      settleVerdict: createSettleVerdict({
        pool,
        program,
        log,
        metrics,
        monotonicMs: () => clock.nowMs,
      }),
      rebroadcast: createRebroadcast({
        db: rows.db,
        send: async (wire) => {
          resent.push(Buffer.from(wire));
          return { kind: 'unknown', message: 'for the test' };
        },
        isUnused: createIsUnused(pool.rpc, program),
        metrics,
      }),
    }),
    alerts: async () => {
      const { values } = await metrics.alerts.get();
      return Object.fromEntries(values.map(({ labels, value }) => [String(labels.kind), value]));
    },
  };
}
