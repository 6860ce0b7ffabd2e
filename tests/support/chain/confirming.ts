import { createLogger } from '@agent-wallet/process';
import {
  type ConfirmWorker,
  createConfirmWorker,
} from '../../../apps/confirm-worker/src/create-confirm-worker.ts';
import { createMetrics } from '../../../apps/confirm-worker/src/metrics.ts';
import type { SettleDeps } from '../../../apps/confirm-worker/src/settle.ts';
import type { SpendRows } from '../database/spend-rows.ts';
import type { ScriptedChain } from './scripted-chain.ts';

/** The confirm-worker's passes over a scripted chain, run one at a time by the test. */
export type Confirming = {
  readonly writing: SettleDeps;
  readonly finalize: ConfirmWorker['finalizeLandings'];
  readonly watch: ConfirmWorker['watchSignatures'];
  readonly nudged: string[];
  /** Bytes that were re-sent, in order. */
  readonly resent: readonly Buffer[];
  readonly clock: { nowMs: number };
  readonly alerts: () => Promise<Readonly<Record<string, number>>>;
};

export function createConfirming(rows: SpendRows, chain: ScriptedChain): Confirming {
  const metrics = createMetrics();
  const nudged: string[] = [];
  const resent: Buffer[] = [];
  const clock = { nowMs: 0 };
  const writing: SettleDeps = {
    db: rows.db,
    nudge: async (walletId) => {
      nudged.push(walletId);
    },
    log: createLogger({ name: 'test', level: 'silent' }),
    metrics,
  };
  const worker = createConfirmWorker({
    ...writing,
    pool: chain.pool,
    send: async (wire) => {
      resent.push(Buffer.from(wire));
      return { kind: 'unknown', message: 'for the test' };
    },
    program: chain.program,
    hints: { areLive: () => false, take: () => [] },
    monotonicMs: () => clock.nowMs,
  });
  return {
    writing,
    finalize: worker.finalizeLandings,
    watch: worker.watchSignatures,
    nudged,
    resent,
    clock,
    alerts: () => metrics.alerts.counts(),
  };
}
