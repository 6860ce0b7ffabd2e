import type { Rpc, WalletProgram } from '@agent-wallet/chain';
import {
  finalizeSpends,
  type LandedSpend,
  listUnfinalized,
  postponeFinality,
  watchAgain,
} from '@agent-wallet/spend';
import { refusalOf } from '../resolve/resolve-landing.ts';
import { settle, type SettleDeps } from '../settle.ts';
import { finalityOf, isDueForFinality } from './finality.ts';

const BATCH = 256;
const SETTLED_MS_AGO = 1_000;
const LOOK_EVERY_MS = 1_000;
/** A landing is final after about 13 s. One that is not final by then waits behind the others. */
const OVERDUE_AFTER_MS = 30_000;

type FinalizeDeps = SettleDeps & {
  readonly rpc: Pick<Rpc, 'slot' | 'signatureStatuses' | 'transaction'>;
  readonly program: WalletProgram;
};

/**
 * One pass over landed spends that can be final by now. Spends that the chain finalized with the
 * recorded outcome become final, spends that it finalized with the other outcome are corrected, and
 * attempts whose signature is gone are watched again. Throws RPC_UNAVAILABLE when the statuses
 * cannot be read; nothing is changed then.
 */
export function createFinalizeLandings(deps: FinalizeDeps): () => Promise<number> {
  return async () => {
    const listed = await listUnfinalized(deps.db, { settledMsAgo: SETTLED_MS_AGO, limit: BATCH });
    if (listed.length === 0) return LOOK_EVERY_MS;
    const finalizedSlot = await deps.rpc.slot('finalized');
    const landed = listed.filter((spend) => isDueForFinality(spend, finalizedSlot));
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
    deps.log.warn({ spendId }, 'a landing is no longer on the chain; its attempts are watched');
  }
}

/** Writes the final outcome, which is not the recorded one. The transaction names the error. */
async function correct(
  deps: FinalizeDeps,
  spend: LandedSpend,
  slot: bigint,
  finality: 'succeeded_after_all' | 'failed_after_all',
): Promise<void> {
  const { spendId, walletId, sessionId, attemptNo, txSignature: signature } = spend;
  const landing = { spendId, walletId, sessionId, attemptNo, signature, slot };
  deps.metrics.alerts.inc({ kind: 'final_outcome_differs' });
  if (finality === 'succeeded_after_all') {
    await settle(deps, [{ ...landing, kind: 'landed_ok' }]);
    return;
  }
  const transaction = await deps.rpc.transaction(signature, 'finalized');
  if (transaction === null || transaction.err === null) return;
  const refusal = refusalOf(deps.program, transaction);
  // The number was used before: another landing paid, and the watch will find it.
  if (refusal === null) return lookAgain(deps, [spendId]);
  await settle(deps, [{ ...landing, kind: 'landed_error', isFinal: true, ...refusal }]);
}
