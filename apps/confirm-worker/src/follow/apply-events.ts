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
import { lockWalletsOfVaults } from '@agent-wallet/wallet';
import { sql } from 'slonik';
import { z } from 'zod';
import { applyToWallet, WALLET_EVENTS } from './apply-to-wallet.ts';
import { eventJson, walletEventData } from './event-json.ts';

/** Gives the watch time to settle the spend, so that usually only a comparison is left. */
const RECONCILE_AFTER_MS = 1_000;
const RECEIVED_BY_OWNER: ReadonlySet<string> = new Set([
  'OwnerWithdrew',
  'TokenAccountSwept',
  'LamportsSwept',
]);
/** A longer wait for a wallet would hold up the events of all others. */
const LOCK_WAIT_MS = 250;

/**
 * Stores the events of one chain transaction and applies them to wallets and sessions, in one SQL
 * transaction. Returns the new events; events that are already stored change nothing. Throws
 * Postgres' 55P03 when another SQL transaction holds a wallet.
 */
export async function applyEvents(
  db: Database,
  transaction: ProgramTransaction,
): Promise<readonly ProgramEvent[]> {
  if (transaction.events.length === 0) return [];
  return db.transaction(async (tx) => {
    await tx.query(sql.unsafe`select set_config('lock_timeout', ${String(LOCK_WAIT_MS)}, true)`);
    const vaults = transaction.events.map(({ data }) => stringField(data, 'vault'));
    const walletIds = await lockWalletsOfVaults(tx, vaults);
    const applied: ProgramEvent[] = [];
    for (const event of transaction.events) {
      if (!(await storeEvent(tx, transaction, event))) continue;
      applied.push(event);
      const walletId = walletIds.get(stringField(event.data, 'vault'));
      if (walletId === undefined) continue;
      await applyToWallet(tx, event, transaction.slot);
      await applyLaterAgain(tx, transaction, event);
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
      seen_at, reconcile_at)
    values (
      ${signature}, ${instructionIndex}, ${innerIndex}, ${slot}, ${name},
      ${stringField(data, 'vault')}, ${sessionOfEvent(event)}, ${spendId}::uuid,
      ${eventJson(data)}::jsonb,
      coalesce((select listed_at from postponed_transaction where signature = ${signature}), now()),
      case when ${spendId}::uuid is null then null
        else now() + ${RECONCILE_AFTER_MS} * interval '1 millisecond' end)
    on conflict do nothing
    returning 1 as one
  `);
  return stored !== null;
}

const laterEvent = z.object({ name: z.string(), slot: z.bigint(), data: walletEventData });

/**
 * Applies the later events of the vault once more, so that an event which was postponed, or which a
 * node listed late, leaves the rows as if it had been applied in its order. All set absolute values.
 */
async function applyLaterAgain(
  tx: SqlTransaction,
  { signature }: ProgramTransaction,
  { name, data, instructionIndex, innerIndex }: ProgramEvent,
): Promise<void> {
  const names: readonly string[] = WALLET_EVENTS;
  if (!names.includes(name)) return;
  const later = await tx.any(sql.type(laterEvent)`
    select name, slot, data from program_event
    where vault = ${stringField(data, 'vault')} and name = any(${sql.array(names, 'text')})
      and signature <> ${signature}
      and (slot, seen_at) > (
        select slot, seen_at from program_event
        where signature = ${signature} and instruction_index = ${instructionIndex}
          and inner_index = ${innerIndex})
    order by slot, seen_at, signature, instruction_index, inner_index
  `);
  for (const event of later) await applyToWallet(tx, event, event.slot);
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
  const recipient = RECEIVED_BY_OWNER.has(event.name) ? stringField(event.data, 'owner') : null;
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
      detail: detailOf(event),
      txSignature: signature,
      detailSignature: null,
    },
  ]);
}

/** What an owner's event is about, besides the vault. */
function detailOf(event: ProgramEvent): string | null {
  if (event.name === 'TokenAccountSwept') {
    const { data } = event;
    return `token account ${stringField(data, 'token_account')} of mint ${stringField(data, 'mint')}`;
  }
  const session = sessionOfEvent(event);
  return session === null ? null : `session ${session}`;
}

/**
 * What the owner moved, which may differ from the requested amount: base units of USDC, or of the
 * mint of a swept token account, or lamports.
 */
function movedBy({ name, data }: ProgramEvent): bigint | null {
  switch (name) {
    case 'OwnerWithdrew':
    case 'TokenAccountSwept':
    case 'LamportsSwept':
      return bigintField(data, 'amount');
    case 'YieldDeposited':
    case 'YieldWithdrawn':
      return bigintField(data, 'liquidity_delta');
    default:
      return null;
  }
}
