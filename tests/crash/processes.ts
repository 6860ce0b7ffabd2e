/** The processes of the system, wired from their own factories and run one pass at a time. */
import {
  type BlockhashSource,
  createOwnerTransactions,
  createPriorityFees,
  createSend,
  SANDBOX_RESERVE,
  type WalletProgram,
} from '@agent-wallet/chain';
import { createKeystore } from '@agent-wallet/keystore';
import { createLogger } from '@agent-wallet/process';
import { findSpends } from '@agent-wallet/spend';
import type { Keypair } from '@solana/web3.js';
import { createChainAccess } from '../../apps/api/src/chain/chain-access.ts';
import { createDeliverer } from '../../apps/api/src/service/deliverer.ts';
import { createOutcomeWaiter } from '../../apps/api/src/spend/outcome-waiter.ts';
import { createRequestSpend, type RequestSpend } from '../../apps/api/src/spend/request-spend.ts';
import { createPerWalletLimit } from '../../apps/api/src/spend/per-wallet-limit.ts';
import {
  type ConfirmWorker,
  createConfirmWorker,
} from '../../apps/confirm-worker/src/create-confirm-worker.ts';
import { createMetrics as createConfirmMetrics } from '../../apps/confirm-worker/src/metrics.ts';
import { createMetrics as createLaneMetrics } from '../../apps/tx-worker/src/metrics.ts';
import { createReadChainView } from '../../apps/tx-worker/src/lane/pipeline.ts';
import { createPrepareSpend } from '../../apps/tx-worker/src/sign/prepare-spend.ts';
import { createRunLane } from '../../apps/tx-worker/src/lane/run-lane.ts';
import { createIsSessionAbsent } from '../../apps/tx-worker/src/lane/session-absent.ts';
import { createDetectRestore } from '../../apps/tx-worker/src/lane/detect-restore.ts';
import { createSimulatePayment } from '../../apps/tx-worker/src/sign/simulate-payment.ts';
import { createSubmitSpend } from '../../apps/tx-worker/src/lane/submit-spend.ts';
import { createSweepQueued } from '../../apps/tx-worker/src/lane/sweep-queued.ts';
import type { Io } from './faulty-io.ts';

export type Processes = ConfirmWorker & {
  readonly requestSpend: RequestSpend;
  /** Shows the payment of this spend to its service, if that is due. */
  readonly deliver: (spendId: string) => Promise<void>;
  readonly sweepDeliveries: () => Promise<void>;
  readonly runLane: (sessionId: string) => Promise<void>;
  readonly sweepQueued: () => Promise<unknown>;
};

export type Keys = {
  readonly program: WalletProgram;
  readonly masterKey: Buffer;
  readonly feePayer: Keypair;
};

const log = createLogger({ name: 'test', level: 'silent' });
const SEND_MS = 4_000;
const DEPTH = 32;
const BUDGETS = { lamportsPerDay: 10_000_000_000n, revertsPerDay: 100 };
const PENDING_LIMITS = { session: 256, wallet: 2_048 };

/** Freshly started: nothing is remembered of any process before. */
export function startProcesses(io: Io, keys: Keys): Processes {
  return { ...startApi(io, keys), ...startTxWorker(io, keys), ...startConfirmWorker(io, keys) };
}

function startApi(
  { db, rpc, nudge, egress }: Io,
  { program }: Keys,
): Pick<Processes, 'requestSpend' | 'deliver' | 'sweepDeliveries'> {
  const chain = createChainAccess({
    program,
    yieldReserve: SANDBOX_RESERVE,
    checkReachable: neverCalled,
    transactions: createOwnerTransactions(program, neverCalled),
    readAccounts: (addresses) => rpc.accounts(addresses, { commitment: 'confirmed' }),
  });
  const waiter = createOutcomeWaiter({
    findSpends: (spendIds) => findSpends(db, spendIds),
    onFault: () => {},
  });
  const requestSpend = createRequestSpend({
    db,
    chain,
    nudge,
    waiter,
    pendingLimits: PENDING_LIMITS,
    budgets: BUDGETS,
    limitPerWallet: createPerWalletLimit(),
    nowMs: Date.now,
    onFault: () => {},
  });
  const faults: unknown[] = [];
  const deliverer = createDeliverer({
    db,
    egress: egress ?? neverCalled,
    metrics: { delivered: () => {}, openDeliveries: () => {} },
    onFault: (error) => faults.push(error),
  });
  return {
    requestSpend,
    deliver: async (spendId) => {
      await deliverer.deliver(spendId);
      // It tells of a fault and goes on; here the use case ends with it.
      if (faults.length > 0) throw faults[0];
    },
    sweepDeliveries: async () => {
      await deliverer.sweep();
      await deliverer.drain();
    },
  };
}

const neverCalled = (): Promise<never> => Promise.reject(new Error('nobody asks this'));

function startTxWorker(
  { db, rpc, nudge }: Io,
  { program, masterKey, feePayer }: Keys,
): Pick<Processes, 'runLane' | 'sweepQueued'> {
  const metrics = createLaneMetrics();
  // Read for each spend, so that the number of calls does not depend on a timer.
  const blockhashes: BlockhashSource = {
    current: () => rpc.latestBlockhash(),
    [Symbol.asyncDispose]: async () => {},
  };
  const isSessionAbsent = createIsSessionAbsent(rpc, program);
  const prepare = createPrepareSpend({
    rpc,
    program,
    reserve: SANDBOX_RESERVE,
    blockhashes,
    keystore: createKeystore({ db, masterKey }),
    feePayerOf: () => feePayer,
    isOurFeePayer: (address) => address === feePayer.publicKey.toBase58(),
    simulatePayment: createSimulatePayment({ rpc, program, isSessionAbsent }),
    priorityFees: createPriorityFees({
      rpc,
      floor: 1n,
      capLamports: 10_000n,
      freshMs: 5_000,
      waitMs: 500,
    }),
    computeUnitLimit: undefined,
  });
  const submit = createSubmitSpend({
    db,
    send: createSend(rpc, program),
    isSessionAbsent,
    metrics,
  });
  const runLane = createRunLane({
    db,
    nudge,
    prepare,
    submit,
    readChainView: createReadChainView(rpc, program),
    detectRestore: createDetectRestore({ db, rpc, log, metrics }),
    sendMs: SEND_MS,
    depth: DEPTH,
    nowMs: Date.now,
    log,
    metrics,
  });
  return { runLane, sweepQueued: createSweepQueued({ db, nudge, metrics }) };
}

function startConfirmWorker(
  { db, rpc, firstEndpoint, nudge }: Io,
  { program }: Keys,
): ConfirmWorker {
  const first = firstEndpoint ?? rpc;
  const endpoints = first === rpc ? [rpc] : [first, rpc];
  return createConfirmWorker({
    db,
    pool: {
      size: endpoints.length,
      rpc,
      read: (run) => run(first, 0),
      readable: () => endpoints.map((endpoint, index) => ({ index, rpc: endpoint })),
    },
    send: createSend(rpc, program),
    program,
    nudge,
    monotonicMs: () => performance.now(),
    log,
    metrics: createConfirmMetrics(),
  });
}
