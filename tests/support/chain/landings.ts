/** Spends that have landed, and what the confirm-worker finds of them later. */
import { verifyAudit } from '@agent-wallet/audit';
import type { SignatureStatus } from '@agent-wallet/chain';
import type { Spend } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { expect } from 'vitest';
import { z } from 'zod';
import { type Confirming } from './confirming.ts';
import { type RowSession, type SpendRows } from '../database/spend-rows.ts';
import type { FacilitatedState, SpendState } from '../database/spend-states.ts';

/** Of the made-up attempts: their last valid block height is 1150. */
export const PAST_EXPIRY = { blockHeight: 1_151n, slot: 2_300n };
export const ALLOW = { correction: 0, decision: 'allow', reason: null };
export const FORKED_OUT = { correction: 1, decision: 'deny', reason: 'FORKED_OUT' };

export const status = (
  err: unknown,
  confirmationStatus: SignatureStatus['confirmationStatus'],
): SignatureStatus => ({ slot: 2_000n, err, confirmationStatus });

/** A spend of the given state that was settled 20 s ago, which finality is due to look at. */
export async function landed(
  rows: SpendRows,
  state: SpendState | FacilitatedState = 'confirmed',
  session?: RowSession,
): Promise<Spend> {
  const { spendId } = await rows.spendIn(state, session);
  return settledAgo(rows, spendId, 20);
}

export async function settledAgo(
  rows: SpendRows,
  spendId: string,
  seconds: number,
): Promise<Spend> {
  const at = sql.fragment`now() - ${seconds} * interval '1 second'`;
  await rows.setSpend(spendId, sql.fragment`settled_at = ${at}, final_look_at = '-infinity'`);
  await rows.setAttempts(spendId, sql.fragment`stored_at = ${at}`);
  return rows.read(spendId);
}

export const signatureOf = ({ txSignature }: Spend): string => txSignature ?? 'none';

/** Every attempt is due for a look now. */
export async function watchNow(rows: SpendRows, worker: Confirming): Promise<number> {
  await rows.db.query(
    sql.unsafe`update attempt_watch set look_at = now(), watch_until = '-infinity'`,
  );
  return worker.watch();
}

export async function watchedAttempts(rows: SpendRows): Promise<number> {
  return rows.db.oneFirst(sql.type(z.object({ watched: z.number() }))`
    select count(*)::int as watched from attempt_watch
  `);
}

/** A landing that finality has looked for and not found. */
export async function goneFromTheChain(
  rows: SpendRows,
  worker: Confirming,
  state?: SpendState | FacilitatedState,
): Promise<Spend> {
  const spend = await landed(rows, state);
  await worker.finalize();
  return spend;
}

export async function expectWholeLog(rows: SpendRows, { walletId }: Spend): Promise<void> {
  expect(await verifyAudit(rows.db, walletId)).toMatchObject({ kind: 'intact' });
}
