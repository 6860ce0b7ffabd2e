import { REFUSALS, rejectQueued } from '@agent-wallet/spend';
import { expect, test } from 'vitest';
import { holdLane } from '../../../../../tests/support/database/lane-rows.ts';
import { useSpendRows } from '../../../../../tests/support/database/spend-rows.ts';
import type { SpendState } from '../../../../../tests/support/database/spend-states.ts';
import { refusalOfSpend } from './refusals.ts';

const rows = await useSpendRows();

const ANY_KEY = 'wait until opens_at, or have the owner change the time window';
const NEW_KEY = `${ANY_KEY}; then retry with a new Idempotency-Key, if this request had one`;

test.each<[string, SpendState, string]>([
  ['before it was signed keeps no key', 'queued', ANY_KEY],
  ['after it was signed keeps its key', 'queued again', NEW_KEY],
])('a spend whose time window closed %s, and its refusal says so', async (_case, state, remedy) => {
  const spend = await rows.spendIn(state);
  const fence = await holdLane(rows.db, spend.sessionId);
  const code = REFUSALS.outsideTimeWindow;
  const rejected = await rejectQueued(rows.db, { spend, fence, code, detail: 'closed' });
  if (rejected === null) throw new Error('the lane was lost');
  expect(refusalOfSpend(rejected).body).toMatchObject({ remedy });
});
