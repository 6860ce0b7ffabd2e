import { createListener } from '@agent-wallet/db';
import { SPEND_SETTLED } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { describe, expect, test } from 'vitest';
import { FACILITATED } from '../../../../tests/support/database/made-up-spends.ts';
import { expectSpend, useSpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { neverPrepare, neverSend, neverSubmit, roomy, startLanes } from '../../fixtures/lanes.ts';

const rows = await useSpendRows();

describe('a payment that a facilitator sends', () => {
  test('is stored and told of, and never sent', async () => {
    const session = await rows.createSession();
    const spend = await rows.accept(session, FACILITATED);
    const told = Promise.withResolvers<string>();
    const listening = Promise.withResolvers<void>();
    const listener = createListener({
      url: rows.url,
      channel: SPEND_SETTLED,
      onNotify: told.resolve,
      onConnected: listening.resolve,
    });
    await listening.promise;
    const lane = startLanes(rows, { send: neverSend });
    await lane.run(session);
    await expectSpend(rows, spend, {
      status: 'in_flight',
      attempt: 1,
      txSignature: null,
      releasedAt: null,
    });
    expect(JSON.parse(await told.promise)).toEqual([spend.spendId]);
    await listener.close();
  });

  test('is refused in the words that its simulation had for it', async () => {
    const session = await rows.createSession();
    const spend = await rows.accept(session, FACILITATED);
    const lane = startLanes(rows, {
      prepare: async () => ({ kind: 'refused', code: 'DailyCapExceeded', detail: 'its words' }),
      submit: neverSubmit,
    });
    await lane.run(session);
    await expectSpend(rows, spend, {
      status: 'rejected',
      code: 'DailyCapExceeded',
      detail: 'its words',
      attempt: 0,
    });
  });

  test('is not waited for, whatever comes next', async () => {
    const session = await rows.createSession();
    await rows.spendIn('facilitated, stored', session);
    const next = await rows.accept(session);
    const lane = startLanes(rows, {
      readChainView: async () => ({ ...roomy, liquid: 150n }),
      depth: 1,
    });
    await lane.run(session);
    expect(lane.sent).toEqual([next.spendId]);
  });

  test.each([
    [299n, 0],
    [300n, 1],
  ])('counts as spent beside others: of a balance of %i, %i go on', async (liquid, sent) => {
    const session = await rows.createSession();
    await rows.spendIn('facilitated, stored', session);
    await rows.spendIn('in flight', session);
    await rows.accept(session);
    const lane = startLanes(rows, { readChainView: async () => ({ ...roomy, liquid }) });
    await lane.run(session);
    expect(lane.sent).toHaveLength(sent);
  });

  test('holds up the lane once its number lags 128 behind', async () => {
    const session = await rows.createSession();
    await rows.spendIn('facilitated, stored', session);
    await rows.setSession(session.sessionId, sql.fragment`next_seq = 129`);
    await rows.accept(session);
    const lane = startLanes(rows, { prepare: neverPrepare });
    await lane.run(session);
    expect(lane.sent).toEqual([]);
  });
});
