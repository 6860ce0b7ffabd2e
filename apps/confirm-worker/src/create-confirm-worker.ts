import {
  createProgramFeed,
  type RpcPool,
  type Send,
  type WalletProgram,
} from '@agent-wallet/chain';
import { readWire } from '@agent-wallet/spend';
import { createFinalizeLandings } from './finality/finalize-landings.ts';
import { createCatchUp } from './follow/catch-up.ts';
import { createExplainLandings } from './follow/explain-landings.ts';
import { createFollowProgress } from './follow/follow-progress.ts';
import { createFollowProgram } from './follow/follow-program.ts';
import { createGuardRecovery } from './follow/guard-recovery.ts';
import { createMeasureCaps } from './measure-caps.ts';
import { readLanded } from './resolve/attempt-facts.ts';
import { createResolveAttempts } from './resolve/resolve-attempts.ts';
import { createResolveVerdict } from './resolve/resolve-verdict.ts';
import type { SettleDeps } from './settle.ts';
import type { LandingHints } from './watch/landing-hints.ts';
import { createIsUnused, createRebroadcast } from './watch/rebroadcast.ts';
import { createWatchSignatures } from './watch/watch-signatures.ts';

const FEED_BATCH = 500;
const HEAD_EVERY_MS = 5_000;
const FEED_OVERLAP_SLOTS = 64n;

type ConfirmWorkerDeps = SettleDeps & {
  readonly pool: Pick<RpcPool, 'size' | 'read' | 'readable' | 'rpc'>;
  /** Sends bytes again, to every endpoint. */
  readonly send: Send;
  readonly program: WalletProgram;
  readonly hints: Pick<LandingHints, 'areLive' | 'take'>;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicMs: () => number;
};

/**
 * The passes of the confirm-worker. All but the watch return the delay until their next pass. Every
 * copy runs the watch, whose attempts are leased; one copy leads each of the others.
 */
export type ConfirmWorker = {
  /** Resolves and settles the attempts that are due. Returns how many there were. */
  readonly watchSignatures: () => Promise<number>;
  readonly finalizeLandings: () => Promise<number>;
  readonly followProgram: (term?: { readonly isNewTerm: boolean }) => Promise<number>;
  readonly guardRecovery: () => Promise<number>;
  readonly measureCaps: () => Promise<number>;
  readonly measureHead: () => Promise<number>;
};

/** Wires the confirm-worker on its resources. It holds nothing that must be closed. */
export function createConfirmWorker({
  pool,
  send,
  program,
  hints,
  monotonicMs,
  ...settling
}: ConfirmWorkerDeps): ConfirmWorker {
  const { db, log, metrics } = settling;
  const { rpc } = pool;
  const feedOptions = {
    readOnOne: pool.read,
    readAnywhere: async (signature: string) => {
      const replies = await Promise.allSettled(
        pool.readable().map((endpoint) => endpoint.rpc.transaction(signature, 'confirmed')),
      );
      const found = replies.flatMap((reply) => (reply.status === 'fulfilled' ? [reply.value] : []));
      return found.find((transaction) => transaction !== null) ?? null;
    },
    program,
    batchSize: FEED_BATCH,
    overlapSlots: FEED_OVERLAP_SLOTS,
    monotonicMs,
  };
  const explain = createExplainLandings(db);
  const progress = createFollowProgress(metrics);
  return {
    watchSignatures: createWatchSignatures({
      ...settling,
      hints,
      readLanded: (signatures) => readLanded(rpc, signatures),
      resolveAttempts: createResolveAttempts({ pool, program, metrics }),
      resolveVerdict: createResolveVerdict({
        pool,
        program,
        readWire: (attempt) => readWire(db, attempt),
        log,
        metrics,
        monotonicMs,
      }),
      rebroadcast: createRebroadcast({
        db,
        send,
        isUnused: createIsUnused(rpc, program),
        metrics,
      }),
    }),
    finalizeLandings: createFinalizeLandings({ ...settling, rpc, program }),
    followProgram: createFollowProgram({
      ...settling,
      progress,
      feed: createProgramFeed({ ...feedOptions, explain }),
    }),
    guardRecovery: createGuardRecovery({
      db,
      rpc,
      program,
      // A restored database explains nothing: every event is read.
      catchUp: createCatchUp({ ...settling, createFeed: () => createProgramFeed(feedOptions) }),
      log,
      metrics,
    }),
    measureCaps: createMeasureCaps({ db, metrics }),
    measureHead: async () => {
      progress.headSeen(await rpc.slot('confirmed'));
      return HEAD_EVERY_MS;
    },
  };
}
