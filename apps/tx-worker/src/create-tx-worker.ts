import {
  type BlockhashSource,
  createPriorityFees,
  createSend,
  createSharedAccounts,
  type Reserve,
  type Rpc,
  type WalletProgram,
} from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import type { Keystore } from '@agent-wallet/keystore';
import type { Logger } from '@agent-wallet/process';
import type { Signer } from '@agent-wallet/signer';
import { createAnnounceAttempts, type IdleLane, recordFeePayers } from '@agent-wallet/spend';
import type { Config } from './config.ts';
import { createReadLoad, createStoreClaims } from './lane/batch-lanes.ts';
import { createDetectRestore } from './lane/detect-restore.ts';
import { createReadChainView } from './lane/pipeline.ts';
import { createRunLane } from './lane/run-lane.ts';
import { createRunWallet } from './lane/run-wallet.ts';
import { createIsSessionAbsent } from './lane/session-absent.ts';
import { createSendsUnderWay } from './lane/sends-under-way.ts';
import { createSubmitSpends } from './lane/submit-spends.ts';
import { createSweepQueued } from './lane/sweep-queued.ts';
import type { Metrics } from './metrics.ts';
import { createFeePayers } from './sign/fee-payers.ts';
import { createResealPass } from './sign/reseal-pass.ts';
import { createPrepareSpend } from './sign/prepare-spend.ts';
import { createSimulatePayment } from './sign/simulate-payment.ts';

/** Upper bound of one RPC call: below the lane's lease of 10 s, with room for the SQL around it. */
export const RPC_TIMEOUT_MS = 4_000;
const REFILL_EVERY_MS = 1_000;
const BALANCES_EVERY_MS = 10_000;
const PRIORITY_FEES_EVERY_MS = 5_000;
const MOST_RUNS_SENDING = 512;

type Settings = Pick<
  Config,
  | 'COMPUTE_UNIT_LIMIT'
  | 'FEE_PAYER_FLOOR_LAMPORTS'
  | 'LANE_DEPTH'
  | 'PRIORITY_FEE_CAP_LAMPORTS'
  | 'PRIORITY_FEE_FLOOR'
  | 'SESSION_KEYS_AHEAD'
>;

type Resources = {
  readonly db: Database;
  /** Its calls end within {@link RPC_TIMEOUT_MS}. */
  readonly rpc: Rpc;
  /** Re-sends bytes to all endpoints. */
  readonly sendToAll: Rpc['sendRaw'];
  readonly program: WalletProgram;
  /** Null on a chain without a yield reserve. */
  readonly reserve: Reserve | null;
  readonly blockhashes: BlockhashSource;
  readonly keystore: Keystore;
  /** At least one. */
  readonly feePayers: readonly Signer[];
  readonly nudge: (walletId: string, idle?: Omit<IdleLane, 'walletId'>) => Promise<void>;
  readonly log: Logger;
  readonly metrics: Metrics;
};

/** The handler of nudges, and passes that return the milliseconds until their next one. */
type TxWorker = {
  /** Handles one nudge of a wallet; it does not wait for the sends. */
  readonly runWallet: (walletId: string) => Promise<void>;
  /** Waits for the slow lanes and the sends of the runs that have ended. */
  readonly drainSends: () => Promise<void>;
  readonly sweepQueued: () => Promise<number>;
  readonly refillSessionKeys: () => Promise<number>;
  readonly resealSessionKeys: () => Promise<number>;
  readonly refreshFeePayers: () => Promise<number>;
  readonly refreshPriorityFees: () => Promise<number>;
};

/** Wires the tx-worker on its resources. It holds nothing that must be closed. */
export function createTxWorker(settings: Settings, resources: Resources): TxWorker {
  const { db, rpc, sendToAll, program, keystore, nudge, log, metrics } = resources;
  const feePayers = createFeePayers({
    signers: resources.feePayers,
    floorLamports: BigInt(settings.FEE_PAYER_FLOOR_LAMPORTS),
    rpc,
    log,
    metrics,
    recordBalances: (balances) => recordFeePayers(db, balances),
  });
  const isSessionAbsent = createIsSessionAbsent(rpc, program);
  const priorityFees = createPriorityFees({
    rpc,
    floor: BigInt(settings.PRIORITY_FEE_FLOOR),
    capLamports: BigInt(settings.PRIORITY_FEE_CAP_LAMPORTS),
  });
  const prepare = createPrepareSpend({
    ...resources,
    feePayerOf: feePayers.payerOf,
    isOurFeePayer: feePayers.has,
    simulatePayment: createSimulatePayment({ rpc, program, isSessionAbsent }),
    priorityFees,
    computeUnitLimit: settings.COMPUTE_UNIT_LIMIT,
  });
  const runLane = createRunLane({
    db,
    nudge,
    readChainView: createReadChainView(createSharedAccounts(rpc), program),
    detectRestore: createDetectRestore({ db, rpc, log, metrics }),
    prepare,
    readLoad: createReadLoad(db),
    submit: createSubmitSpends({
      db,
      storeClaims: createStoreClaims(db),
      send: createSend(rpc, program),
      sendAgain: createSend({ sendRaw: sendToAll }, program),
      isSessionAbsent,
      announceAttempts: createAnnounceAttempts(db),
      nowMs: () => performance.now(),
      log,
      metrics,
    }),
    depth: settings.LANE_DEPTH,
    nowMs: Date.now,
    log,
    metrics,
  });
  const runWallet = createRunWallet({ db, runLane, nudge, log, metrics });
  const sends = createSendsUnderWay(MOST_RUNS_SENDING);
  return {
    runWallet: async (walletId) => {
      await sends.waitForRoom();
      sends.add((await runWallet(walletId)).rest);
    },
    drainSends: sends.drain,
    sweepQueued: createSweepQueued({ db, nudge, metrics }),
    refillSessionKeys: async () => {
      metrics.sessionKeysMade.inc(await keystore.refill(settings.SESSION_KEYS_AHEAD));
      return REFILL_EVERY_MS;
    },
    resealSessionKeys: createResealPass({ keystore, log, metrics }),
    refreshFeePayers: async () => {
      await feePayers.refresh();
      return BALANCES_EVERY_MS;
    },
    refreshPriorityFees: async () => {
      await priorityFees.refresh();
      return PRIORITY_FEES_EVERY_MS;
    },
  };
}
