/** The processes of the system, wired by their own factories and run one pass at a time. */
import {
  type BlockhashSource,
  createOwnerTransactions,
  createSend,
  SANDBOX_RESERVE,
  type WalletProgram,
} from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import {
  createKeystore,
  createOpenSessionKey,
  type DataKey,
  type Keystore,
} from '@agent-wallet/keystore';
import { createLogger } from '@agent-wallet/process';
import { createLocalSigner } from '@agent-wallet/signer';
import { findSpends } from '@agent-wallet/spend';
import type { Keypair } from '@solana/web3.js';
import { createChainAccess } from '../../apps/api/src/chain/chain-access.ts';
import { createDeliverer } from '../../apps/api/src/service/deliverer.ts';
import { createOutcomeWaiter } from '../../apps/api/src/spend/answer/await-outcome.ts';
import { createDenyRequest } from '../../apps/api/src/spend/refuse/refused.ts';
import { createRequestSpend } from '../../apps/api/src/spend/request-spend.ts';
import { createAcceptSpend } from '../../apps/api/src/spend/accept/batch-acceptances.ts';
import { createCancelSpend } from '../../apps/api/src/spend/answer/cancel-spend.ts';
import { createConfirmWorker } from '../../apps/confirm-worker/src/create-confirm-worker.ts';
import { createMetrics as createConfirmMetrics } from '../../apps/confirm-worker/src/metrics.ts';
import { createTxWorker } from '../../apps/tx-worker/src/create-tx-worker.ts';
import { createMetrics as createLaneMetrics } from '../../apps/tx-worker/src/metrics.ts';
import type { Io } from './faulty-io.ts';

export type Processes = ReturnType<typeof startProcesses>;

export type Keys = {
  readonly program: WalletProgram;
  readonly sealingKey: DataKey;
  readonly feePayer: Keypair;
};

const log = createLogger({ name: 'test', level: 'silent' });
const BUDGETS = { lamportsPerDay: 10_000_000_000n, revertsPerDay: 100 };
const PENDING_LIMITS = { session: 256, wallet: 2_048 };

/** Starts processes without any memory of earlier ones. */
export function startProcesses(io: Io, keys: Keys) {
  return { ...startApi(io, keys), ...startTxWorker(io, keys), ...startConfirmWorker(io, keys) };
}

function startApi({ db, rpc, nudge, egress }: Io, { program }: Keys) {
  const chain = createChainAccess({
    program,
    yieldReserve: SANDBOX_RESERVE,
    checkReachable: neverCalled,
    transactions: createOwnerTransactions(program, neverCalled, Date.now),
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
    acceptSpend: createAcceptSpend(db),
    cancelSpend: createCancelSpend(db),
    denyRequest: createDenyRequest({ db, limitRefusals: async () => null }),
    limitRefusals: async () => null,
    onNotAccepted: () => {},
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
    /** Sends the payment of this spend to its service, if that is due. */
    deliver: async (spendId: string) => {
      await deliverer.deliver(spendId);
      // The deliverer reports a fault and goes on; the use case must end with it.
      if (faults.length > 0) throw faults[0];
    },
    sweepDeliveries: async () => {
      await deliverer.sweep();
      await deliverer.drain();
    },
  };
}

const neverCalled = (): Promise<never> => Promise.reject(new Error('must not be called'));

/** The keystore of one data key, which is not in the database. */
export function openCrashKeystore(db: Database, sealingKey: DataKey): Keystore {
  const openSessionKey = createOpenSessionKey({ keysOf: async () => [sealingKey.key] });
  return createKeystore({ db, openSessionKey, sealingKey });
}

function startTxWorker({ db, rpc, nudge }: Io, { program, sealingKey, feePayer }: Keys) {
  // Read for each spend, so that the number of calls does not depend on a timer.
  const blockhashes: BlockhashSource = {
    current: () => rpc.latestBlockhash(),
    [Symbol.asyncDispose]: async () => {},
  };
  const worker = createTxWorker(
    {
      COMPUTE_UNIT_LIMIT: undefined,
      FEE_PAYER_FLOOR_LAMPORTS: 0,
      LANE_DEPTH: 96,
      PRIORITY_FEE_CAP_LAMPORTS: 10_000,
      PRIORITY_FEE_FLOOR: 1,
      SESSION_KEYS_AHEAD: 1,
    },
    {
      db,
      rpc,
      sendToAll: (wire, options) => rpc.sendRaw(wire, options),
      program,
      reserve: SANDBOX_RESERVE,
      blockhashes,
      keystore: openCrashKeystore(db, sealingKey),
      feePayers: [createLocalSigner(feePayer)],
      nudge,
      log,
      metrics: createLaneMetrics(),
    },
  );
  return {
    ...worker,
    /** With its sends, so that these are among its calls. */
    runWallet: async (walletId: string): Promise<void> => {
      await worker.runWallet(walletId);
      await worker.drainSends();
    },
  };
}

function startConfirmWorker({ db, rpc, firstEndpoint, nudge }: Io, { program }: Keys) {
  const first = firstEndpoint ?? rpc;
  const endpoints = first === rpc ? [rpc] : [first, rpc];
  return createConfirmWorker({
    // The watch alone must suffice.
    hints: { areLive: () => false, take: () => [] },
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
