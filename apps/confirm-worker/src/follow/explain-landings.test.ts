import type { Spend } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { newSignature } from '../../../../tests/support/database/made-up-spends.ts';
import { useSpendRows } from '../../../../tests/support/database/spend-rows.ts';
import type {
  FacilitatedState,
  SpendState,
} from '../../../../tests/support/database/spend-states.ts';
import { applyEvents } from './apply-events.ts';
import { createExplainLandings } from './explain-landings.ts';

const rows = await useSpendRows();
const explain = createExplainLandings(rows.db);

const joinedAt = ({ spendId }: Spend): Promise<Date | null> =>
  rows.db.oneFirst(sql.type(z.object({ joinedAt: z.date().nullable() }))`
    select event_joined_at as "joinedAt" from spend where spend_id = ${spendId}::uuid
  `);

/** The signature of the spend's attempt, whatever became of it. */
const signedAs = ({ spendId }: Spend, attempt: number): Promise<string> =>
  rows.db.oneFirst(sql.type(z.object({ signature: z.string() }))`
    select signature from attempt where spend_id = ${spendId}::uuid and attempt = ${attempt}
  `);

test.each<[SpendState, 'explained' | 'open' | undefined]>([
  ['in flight', 'open'],
  ['confirmed', 'explained'],
  ['finalized', 'explained'],
  ['queued again', undefined],
  ['in flight, second attempt', undefined],
  ['refused in preflight', undefined],
  ['reverted', undefined],
  ['never landed', undefined],
  ['forked out', undefined],
])('the first attempt of a spend that is %s: %s', async (state, expected) => {
  const spend = await rows.spendIn(state);
  const signature = await signedAs(spend, 1);
  expect((await explain([signature])).get(signature)).toBe(expected);
  expect((await joinedAt(spend)) !== null).toBe(expected === 'explained');
});

test('a landing is matched once', async () => {
  const spend = await rows.spendIn('confirmed');
  const signature = spend.txSignature ?? '';
  await explain([signature]);
  const first = await joinedAt(spend);
  expect(await explain([signature, newSignature()])).toEqual(new Map([[signature, 'explained']]));
  expect(await joinedAt(spend)).toEqual(first);
});

test('a second landing of a spend is unknown', async () => {
  const spend = await rows.spendIn('in flight, second attempt');
  const other = await signedAs(spend, 1);
  await rows.settle(spend, { kind: 'landed_ok' });
  expect(await explain([other])).toEqual(new Map());
});

test.each<FacilitatedState>(['facilitated, confirmed', 'facilitated, finalized'])(
  'a payment that is %s is read from the chain',
  async (state) => {
    const spend = await rows.spendIn(state);
    expect(await explain([spend.txSignature ?? ''])).toEqual(new Map());
    expect(await joinedAt(spend)).toBeNull();
  },
);

test('a yield movement, whose event tells amounts that no bytes tell, is read', async () => {
  const spend = await rows.spendIn('confirmed');
  await rows.setSpend(spend.spendId, sql.fragment`kind = 'yield_deposit'`);
  expect(await explain([spend.txSignature ?? ''])).toEqual(new Map());
});

test('a transaction whose events are stored is not read again', async () => {
  const { vaultPda: vault } = await rows.createSession();
  const event = { name: 'YieldInitialized', data: { vault }, instructionIndex: 0, innerIndex: 0 };
  const signature = newSignature();
  await applyEvents(rows.db, { signature, slot: 1n, err: null, events: [event] });
  expect(await explain([signature, newSignature()])).toEqual(new Map([[signature, 'stored']]));
});
