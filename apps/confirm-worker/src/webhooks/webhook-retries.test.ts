import { findWebhook } from '@agent-wallet/webhook';
import { sql } from 'slonik';
import { describe, expect, it } from 'vitest';
import { useSpendRows } from '../../../../tests/support/database/spend-rows.ts';
import {
  createWebhookWithEvent,
  readDeliveries,
  runSender,
  useWebhookWorld,
  withStatus,
} from '../../fixtures/webhook-world.ts';

const rows = await useSpendRows();
const { db } = rows;
const world = await useWebhookWorld(db);
const sender = world.sender();
const run = () => runSender(sender);
const webhookWithEvent = () => createWebhookWithEvent(rows, world);
const deliveriesOf = (webhook: { readonly webhookId: string }) => readDeliveries(db, webhook);

describe('a failed try', () => {
  it('is repeated under the same id when its time has come', async () => {
    const webhook = await webhookWithEvent();
    const { receiver } = webhook;
    receiver.answer = withStatus(500);
    await run();
    const [failed] = await deliveriesOf(webhook);
    expect(failed).toMatchObject({ state: 'pending', tries: 1, lastStatus: 500, lastFault: null });
    expect(failed?.tryAt).toBeInstanceOf(Date);
    await db.query(sql.unsafe`
      update webhook_delivery set try_at = now() + interval '1 hour'
      where endpoint_id = ${webhook.webhookId}::uuid
    `);
    expect(await findWebhook(db, webhook)).toMatchObject({ failingSince: expect.any(Date) });
    await run();
    expect(receiver.got).toHaveLength(1);

    receiver.answer = withStatus(200);
    await world.passTime(webhook.webhookId);
    await run();
    expect(receiver.got.map(({ id }) => id)).toEqual([failed?.eventId, failed?.eventId]);
    expect(await deliveriesOf(webhook)).toMatchObject([
      { state: 'delivered', tries: 2, lastStatus: 200, tryAt: null },
    ]);
    expect(await findWebhook(db, webhook)).toMatchObject({ failingSince: null });
  });

  it('is the tenth and last', async () => {
    const webhook = await webhookWithEvent();
    webhook.receiver.answer = withStatus(503);
    for (let i = 0; i < 11; i += 1) {
      await world.passTime(webhook.webhookId);
      await run();
    }
    expect(webhook.receiver.got).toHaveLength(10);
    expect(await deliveriesOf(webhook)).toMatchObject([
      { state: 'failed', tries: 10, lastStatus: 503, tryAt: null },
    ]);
    expect(await findWebhook(db, webhook)).toMatchObject({ enabled: true });
  });

  it('follows no redirect', async () => {
    const webhook = await webhookWithEvent();
    const other = await world.openReceiver();
    webhook.receiver.answer = withStatus(307, { location: `${other.origin}/hook` });
    await run();
    expect(other.got).toEqual([]);
    expect(await deliveriesOf(webhook)).toMatchObject([{ state: 'pending', lastStatus: 307 }]);
  });

  it('with 410 disables the webhook, and nothing more is sent', async () => {
    const webhook = await webhookWithEvent();
    webhook.receiver.answer = withStatus(410);
    await run();
    expect(await findWebhook(db, webhook)).toMatchObject({ enabled: false, disabledWhy: 'gone' });
    await rows.spendIn('confirmed', webhook.session);
    await world.passTime(webhook.webhookId);
    await run();
    expect(webhook.receiver.got).toHaveLength(1);
    expect(await deliveriesOf(webhook)).toMatchObject([{ state: 'failed', tries: 1 }]);
  });

  it('disables the webhook after five days without a delivery', async () => {
    const webhook = await webhookWithEvent();
    webhook.receiver.answer = withStatus(500);
    const failSince = async (days: number) => {
      await db.query(sql.unsafe`
        update webhook_endpoint set failing_since = now() - ${days} * interval '1 day'
        where endpoint_id = ${webhook.webhookId}::uuid
      `);
      await world.passTime(webhook.webhookId);
      await run();
      return findWebhook(db, webhook);
    };
    expect(await failSince(4.9)).toMatchObject({ enabled: true, disabledWhy: null });
    expect(await failSince(5.1)).toMatchObject({ enabled: false, disabledWhy: 'failing' });
  });
});
