import {
  failureOfTransaction,
  isReplayRefusal,
  type Rpc,
  type WalletProgram,
} from '@agent-wallet/chain';
import {
  finalizeSpends,
  type LandedSpend,
  listUnfinalized,
  postponeFinality,
  type Settlement,
  watchAgain,
} from '@agent-wallet/spend';
import { finalityOf } from './finality.ts';
import { type WriteDeps, writeSettlements } from '../resolve/write-settlements.ts';

const BATCH = 256;
const SETTLED_MS_AGO = 1_000;
const LOOK_EVERY_MS = 1_000;
/** A landing is final after some 13 s. One that is not waits behind the others from here on. */
const OVERDUE_AFTER_MS = 30_000;

type FinalizeDeps = WriteDeps & {
  readonly rpc: Pick<Rpc, 'signatureStatuses' | 'transaction'>;
  readonly program: WalletProgram;
};

/**
 * One pass over landed spends that are not final: marks those that the chain has finalized with the
 * outcome that was written, corrects those that it has finalized with the other one, and has those
 * watched again whose signature is gone. Throws RPC_UNAVAILABLE; then nothing is changed.
 */
export function createFinalizeLandings(deps: FinalizeDeps): () => Promise<number> {
  return async () => {
    const landed = await listUnfinalized(deps.db, { settledMsAgo: SETTLED_MS_AGO, limit: BATCH });
    if (landed.length === 0) return LOOK_EVERY_MS;
    const signatures = landed.map(({ txSignature }) => txSignature);
    const { statuses } = await deps.rpc.signatureStatuses(signatures, { searchHistory: true });
    const looked = landed.map((spend, index) => {
      const status = statuses[index] ?? null;
      return { spend, slot: status?.slot ?? 0n, finality: finalityOf(spend, status) };
    });
    const final = looked.filter(({ finality }) => finality === 'final').map(({ spend }) => spend);
    const waiting = looked.filter(({ finality }) => finality !== 'final');
    await finalizeSpends(deps.db, final);
    // Before the calls that may fail, so that a row which makes them fail blocks no other.
    await postponeFinality(
      deps.db,
      waiting.filter(({ spend }) => spend.settledMsAgo > OVERDUE_AFTER_MS).map(idOf),
    );
    await lookAgain(deps, waiting.filter(({ finality }) => finality === 'gone').map(idOf));
    for (const { spend, slot, finality } of waiting) {
      if (finality === 'succeeded_after_all' || finality === 'failed_after_all') {
        await correct(deps, spend, slot, finality);
      }
    }
    return final.length === BATCH ? 0 : LOOK_EVERY_MS;
  };
}

const idOf = ({ spend }: { readonly spend: LandedSpend }): string => spend.spendId;

async function lookAgain(deps: FinalizeDeps, spendIds: readonly string[]): Promise<void> {
  for (const spendId of await watchAgain(deps.db, spendIds)) {
    deps.log.warn({ spendId }, 'a landing is not on the chain any more; its attempts are watched');
  }
}

/** The final outcome is the other one. Why a transaction failed is only in the transaction. */
async function correct(
  deps: FinalizeDeps,
  spend: LandedSpend,
  slot: bigint,
  finality: 'succeeded_after_all' | 'failed_after_all',
): Promise<void> {
  const { spendId, walletId, sessionId, attemptNo, txSignature: signature } = spend;
  const told = { spendId, walletId, sessionId, attemptNo, signature, slot };
  deps.metrics.alerts.inc({ kind: 'final_outcome_differs' });
  if (finality === 'succeeded_after_all') {
    await writeSettlements(deps, [{ ...told, kind: 'landed_ok' }]);
    return;
  }
  const transaction = await deps.rpc.transaction(signature, 'finalized');
  if (transaction === null || transaction.err === null) return;
  const failure = failureOfTransaction(deps.program, transaction);
  // Its number was used before: another landing paid, and the watch will find it.
  if (failure !== null && isReplayRefusal(failure)) return lookAgain(deps, [spendId]);
  const failed: Settlement = {
    ...told,
    kind: 'landed_error',
    isFinal: true,
    code: failure?.name ?? 'TransactionFailed',
    detail: failure?.detail ?? `the transaction failed: ${JSON.stringify(transaction.err)}`,
  };
  await writeSettlements(deps, [failed]);
}
