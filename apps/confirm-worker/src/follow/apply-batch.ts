import { type ProgramTransaction, stringField } from '@agent-wallet/chain';
import { isDatabaseFault } from '@agent-wallet/db';
import type { SettleDeps } from '../settle.ts';
import { applyEvents } from './apply-events.ts';
import { forgetPostponed, postponeTransaction } from './postponed.ts';
import { storeForeignEvents } from './store-foreign-events.ts';

/**
 * Applies the events of a batch in its order, each chain transaction in one SQL transaction. One
 * that cannot be read or applied is postponed and holds up no other; what belongs to a wallet that
 * another SQL transaction holds is postponed with it. Returns the last of the new transactions of
 * which the database holds anything, null when there was none. Throws when nothing can be recorded,
 * as in an outage.
 */
export async function applyBatch(
  deps: SettleDeps,
  transactions: readonly ProgramTransaction[],
  postponedBefore: ReadonlySet<string>,
): Promise<string | null> {
  const { db, log, metrics } = deps;
  const told = (names: readonly string[]): void => {
    for (const name of names) metrics.programEvents.inc({ name });
  };
  const ours = await storeForeign(deps, transactions, told);
  const busyVaults = new Set<string>();
  const done: string[] = [];
  let newest: string | null = null;

  async function apply(transaction: ProgramTransaction): Promise<string | null> {
    if (transaction.unreadable !== undefined) return transaction.unreadable;
    if (transaction.known === 'explained') metrics.explainedLandings.inc();
    if (!ours.has(transaction.signature)) return null;
    const vaults = vaultsOf(transaction);
    if (vaults.some((vault) => busyVaults.has(vault))) return 'its wallet is busy';
    try {
      told((await applyEvents(db, transaction)).map(({ name }) => name));
      return null;
    } catch (error) {
      if (isDatabaseFault(error)) for (const vault of vaults) busyVaults.add(vault);
      log.warn({ signature: transaction.signature, err: error }, 'events are applied later');
      return error instanceof Error ? error.message : String(error);
    }
  }

  for (const transaction of transactions) {
    const { signature, slot, known, events } = transaction;
    const reason = await apply(transaction);
    const isNew = !postponedBefore.has(signature);
    const isHeld = reason !== null || known !== undefined || events.length > 0;
    if (isNew && isHeld) newest = signature;
    if (reason === null) {
      if (!isNew) done.push(signature);
      continue;
    }
    metrics.postponedTransactions.inc();
    if (await postponeTransaction(db, { signature, slot, reason })) {
      metrics.alerts.inc({ kind: 'transaction_skipped' });
      log.error(
        { signature, slot: String(slot), reason },
        'a transaction of the program cannot be read or applied; it is skipped',
      );
    }
  }
  await forgetPostponed(db, done);
  return newest;
}

/** Returns the signatures of the transactions with events of wallets here. */
async function storeForeign(
  { db, log }: SettleDeps,
  transactions: readonly ProgramTransaction[],
  told: (names: readonly string[]) => void,
): Promise<ReadonlySet<string>> {
  const withEvents = transactions.filter(({ events }) => events.length > 0);
  try {
    const { ours, names } = await storeForeignEvents(db, withEvents);
    told(names);
    return ours;
  } catch (error) {
    // One event that cannot be stored must not hold up the others.
    log.warn({ err: error }, 'the events of a batch are stored one by one');
    return new Set(withEvents.map(({ signature }) => signature));
  }
}

/** The vaults of a transaction's events. One that names none fails when it is applied. */
function vaultsOf({ events }: ProgramTransaction): readonly string[] {
  return events.flatMap(({ data }) => ('vault' in data ? [stringField(data, 'vault')] : []));
}
