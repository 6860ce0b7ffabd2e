import { appendAudit, OWNER_ACTIONS } from '@agent-wallet/audit';
import {
  bigintField,
  type ProgramEvent,
  type ProgramTransaction,
  sessionOfEvent,
  spendIdOfEvent,
  stringField,
} from '@agent-wallet/chain';
import type { Database, SqlTransaction } from '@agent-wallet/db';
import { lockWalletOfVault } from '@agent-wallet/wallet';
import { sql } from 'slonik';
import { applyToWallet } from './apply-to-wallet.ts';

/** Gives the watch time to settle the spend, so that usually only a comparison is left. */
const RECONCILE_AFTER_MS = 1_000;

/**
 * Stores the events of one chain transaction and applies them to wallets and sessions, in one SQL
 * transaction. Returns the new events; events that are already stored change nothing.
 */
export async function applyEvents(
  db: Database,
  transaction: ProgramTransaction,
): Promise<readonly ProgramEvent[]> {
  if (transaction.events.length === 0) return [];
  return db.transaction(async (tx) => {
    const applied: ProgramEvent[] = [];
    for (const event of transaction.events) {
      const walletId = await lockWalletOfVault(tx, stringField(event.data, 'vault'));
      if (!(await storeEvent(tx, transaction, event))) continue;
      applied.push(event);
      if (walletId === null) continue;
      await applyToWallet(tx, event, transaction.slot);
      await auditOwnerEvent(tx, walletId, event, transaction.signature);
    }
    return applied;
  });
}

async function storeEvent(
  tx: SqlTransaction,
  { signature, slot }: ProgramTransaction,
  event: ProgramEvent,
): Promise<boolean> {
  const { name, data, instructionIndex, innerIndex } = event;
  const spendId = spendIdOfEvent(event);
  const stored = await tx.maybeOne(sql.unsafe`
    insert into program_event (
      signature, instruction_index, inner_index, slot, name, vault, session_pda, spend_id, data,
      reconcile_at)
    values (
      ${signature}, ${instructionIndex}, ${innerIndex}, ${slot}, ${name},
      ${stringField(data, 'vault')}, ${sessionOfEvent(event)}, ${spendId}::uuid, ${toJson(data)}::jsonb,
      case when ${spendId}::uuid is null then null
        else now() + ${RECONCILE_AFTER_MS} * interval '1 millisecond' end)
    on conflict do nothing
    returning 1 as one
  `);
  return stored !== null;
}

/** 64-bit integers become decimal strings: JSON numbers would lose them. */
function toJson(data: ProgramEvent['data']): string {
  return JSON.stringify(data, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

/** Appends the audit row of an owner's instruction. Spends have their decision rows already. */
async function auditOwnerEvent(
  tx: SqlTransaction,
  walletId: string,
  event: ProgramEvent,
  signature: string,
): Promise<void> {
  const action = OWNER_ACTIONS[event.name];
  if (action === undefined || spendIdOfEvent(event) !== null) return;
  const session = sessionOfEvent(event);
  const recipient = event.name === 'OwnerWithdrew' ? stringField(event.data, 'owner') : null;
  await appendAudit(tx, walletId, [
    {
      sessionId: null,
      spendId: null,
      correction: 0,
      action,
      amount: movedBy(event),
      recipient,
      recipientOrUrl: recipient,
      decision: 'allow',
      reason: null,
      detail: session === null ? null : `session ${session}`,
      txSignature: signature,
      detailSignature: null,
    },
  ]);
}

/** The base units that the owner moved, which may differ from the requested amount. */
function movedBy({ name, data }: ProgramEvent): bigint | null {
  switch (name) {
    case 'OwnerWithdrew':
      return bigintField(data, 'amount');
    case 'YieldDeposited':
    case 'YieldWithdrawn':
      return bigintField(data, 'liquidity_delta');
    default:
      return null;
  }
}
