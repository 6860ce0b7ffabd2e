import { createEgress } from '@agent-wallet/egress';
import { findWebhook, removeWebhook } from '@agent-wallet/webhook';
import { sql } from 'slonik';
import { describe, expect, it } from 'vitest';
import { createLatch } from '../../../../tests/support/latch.ts';
import { useSpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { waitUntil } from '../../../../tests/support/wait-until.ts';
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

const sleepless = async (): Promise<never> => {
  throw new Error('nothing may be sent');
};

describe('an event', () => {
  it('is signed and tells what the audit log says', async () => {
    const { receiver, session, spend } = await webhookWithEvent();
    await run();
    expect(receiver.got).toMatchObject([
      {
        id: /^evt_[0-9a-f]{32}$/.exec(receiver.got[0]?.id ?? '')?.[0],
        signatures: 1,
        event: {
          type: 'spend.settled',
          data: {
            wallet_id: session.walletId,
            session_id: session.sessionId,
            spend_id: spend.spendId,
            correction: 0,
            action: 'transfer',
            amount: '100',
            decision: 'allow',
            tx_signature: (await rows.read(spend.spendId)).txSignature,
          },
        },
      },
    ]);
  });

  it('is sent for what was chosen, in the order of the log', async () => {
    const session = await rows.createSession();
    const events = ['spend.settled', 'spend.refused', 'spend.corrected'] as const;
    const webhook = await world.createWebhook(session.walletId, [...events]);
    const { receiver } = webhook;
    const refusals = await world.createWebhook(session.walletId, ['spend.refused']);
    await rows.spendIn('forked out', session);
    await rows.spendIn('refused in preflight', session);
    await rows.spendIn('refused in preflight');
    await run();
    const typesOf = ({ got }: typeof receiver) => got.map(({ event }) => event.type);
    expect(typesOf(receiver).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'spend.corrected',
      'spend.refused',
      'spend.settled',
    ]);
    expect((await deliveriesOf(webhook)).map(({ type }) => type)).toEqual([
      'spend.settled',
      'spend.corrected',
      'spend.refused',
    ]);
    expect(typesOf(refusals.receiver)).toEqual(['spend.refused']);
    expect(refusals.receiver.got[0]?.event.data).toMatchObject({ reason: 'MaxPerTxExceeded' });
  });

  it('of before the webhook is not sent', async () => {
    const session = await rows.createSession();
    await rows.spendIn('confirmed', session);
    const { receiver } = await world.createWebhook(session.walletId, ['spend.settled']);
    await run();
    expect(receiver.got).toEqual([]);
  });

  it('is sent once by several workers', async () => {
    const { receiver, session } = await webhookWithEvent();
    for (let i = 0; i < 5; i += 1) await rows.spendIn('confirmed', session);
    const senders = [1, 2, 3].map(() => world.sender());
    await Promise.all(senders.map(runSender));
    await Promise.all(senders.map(runSender));
    expect(new Set(receiver.got.map(({ id }) => id)).size).toBe(6);
    expect(receiver.got).toHaveLength(6);
  });

  it('has a signature by each secret for a day after a rotation', async () => {
    const webhook = await webhookWithEvent();
    const { receiver, webhookId } = webhook;
    const secret = await world.rotate(webhook);
    receiver.secrets = [...receiver.secrets, secret];
    await run();
    expect(receiver.got).toMatchObject([{ signatures: 2 }]);
    await db.query(sql.unsafe`
      update webhook_secret set ends_at = now()
      where endpoint_id = ${webhookId}::uuid and ends_at is not null
    `);
    await rows.spendIn('confirmed', webhook.session);
    receiver.secrets = [secret];
    await run();
    expect(receiver.got).toMatchObject([{}, { signatures: 1 }]);
  });
});

it('a worker that dies between the request and its record leaves the event to another one', async () => {
  const webhook = await webhookWithEvent();
  const sent = createLatch('the request');
  const dying = world.sender({
    egress: async (request) => {
      await world.egress(request);
      sent.open();
      return new Promise<never>(() => {});
    },
  });
  await dying.pass();
  await sent.wait();
  await run();
  expect(webhook.receiver.got).toHaveLength(1);
  // Its lease ends on the database's clock.
  await world.passTime(webhook.webhookId);
  await run();
  const [first, second] = webhook.receiver.got;
  expect(webhook.receiver.got).toHaveLength(2);
  expect(second).toEqual(first);
  expect(await deliveriesOf(webhook)).toMatchObject([{ state: 'delivered', tries: 2 }]);
});

it('a record that comes after another worker has taken over changes nothing', async () => {
  const webhook = await webhookWithEvent();
  const answer = createLatch('the late answer');
  const late = world.sender({
    egress: async () => {
      await answer.wait();
      return { kind: 'failed', reason: 'timeout', detail: '' };
    },
  });
  await late.pass();
  await world.passTime(webhook.webhookId);
  await run();
  answer.open();
  await late.drain();
  expect(await deliveriesOf(webhook)).toMatchObject([{ state: 'delivered', lastFault: null }]);
  expect(await findWebhook(db, webhook)).toMatchObject({ failingSince: null });
});

it('a webhook that is deleted during a try leaves nothing behind', async () => {
  const webhook = await webhookWithEvent();
  const answer = createLatch('the late answer');
  const late = world.sender({
    egress: async () => {
      await answer.wait();
      return { kind: 'failed', reason: 'timeout', detail: '' };
    },
  });
  await late.pass();
  const before = world.faults.length;
  expect(await removeWebhook(db, webhook)).toBe(true);
  answer.open();
  await late.drain();
  expect(world.faults.length).toBe(before);
  expect(await deliveriesOf(webhook)).toEqual([]);
});

it('a webhook with a thousand open deliveries waits, and the log keeps its events', async () => {
  const webhook = await webhookWithEvent();
  await db.query(sql.unsafe`
    insert into webhook_delivery (endpoint_id, wallet_id, event_id, type, body, try_at)
    select ${webhook.webhookId}::uuid, ${webhook.walletId}::uuid, 'evt_' || n, 'spend.settled',
      '{}', now() + interval '1 day'
    from generate_series(1, 1000) n
  `);
  await run();
  expect(webhook.receiver.got).toEqual([]);
  await db.query(sql.unsafe`
    update webhook_delivery set state = 'failed', try_at = null, ended_at = now()
    where endpoint_id = ${webhook.webhookId}::uuid and event_id = 'evt_1'
  `);
  await run();
  expect(webhook.receiver.got).toMatchObject([
    { event: { data: { spend_id: webhook.spend.spendId } } },
  ]);
});

it('a receiver that does not answer delays no other, and holds few places', async () => {
  const slow = await webhookWithEvent();
  for (let i = 0; i < 6; i += 1) await rows.spendIn('confirmed', slow.session);
  const held: Parameters<typeof slow.receiver.answer>[0][] = [];
  slow.receiver.answer = (response) => void held.push(response);
  const quick = await webhookWithEvent();
  const own = world.sender();
  await waitUntil('the quick receiver to get its event', async () => {
    await own.pass();
    return quick.receiver.got.length === 1 && held.length > 0;
  });
  await own.pass();
  await waitUntil('the four tries to arrive', () => held.length >= 4);
  await own.pass();
  expect(held).toHaveLength(4);
  slow.receiver.answer = withStatus(204);
  for (const response of held) response.writeHead(204).end();
  await own.drain();
  await runSender(own);
  expect(slow.receiver.got).toHaveLength(7);
});

describe('an address that is not public', () => {
  it.each(['10.0.0.7', '127.0.0.1', '169.254.169.254', 'fd00::1', '::ffff:127.0.0.1'])(
    'gets no request: a name that resolves to %s',
    async (address) => {
      const session = await rows.createSession();
      const url = 'https://hooks.example.com/hook';
      const webhook = await world.createWebhook(session.walletId, ['spend.settled'], { url });
      await rows.spendIn('confirmed', session);
      const reasons: string[] = [];
      const guarded = createEgress({
        loopbackOrigins: [],
        resolve: async () => [address],
        onFailed: ({ reason }) => void reasons.push(reason),
      });
      await runSender(world.sender({ egress: guarded }));
      // The delivery says the same of an address that was called in vain.
      expect(reasons).toEqual(['refused_address']);
      expect(await deliveriesOf(webhook)).toMatchObject([
        { state: 'pending', tries: 1, lastStatus: null, lastFault: 'unreachable' },
      ]);
    },
  );

  it('gets no request: a URL on this machine that the settings do not name', async () => {
    const webhook = await webhookWithEvent();
    await runSender(world.sender({ egress: createEgress({ loopbackOrigins: [] }) }));
    expect(webhook.receiver.got).toEqual([]);
    expect(await deliveriesOf(webhook)).toMatchObject([{ lastFault: 'unreachable' }]);
  });
});

it('a secret that cannot be opened sends nothing unsigned', async () => {
  const webhook = await webhookWithEvent();
  await db.query(sql.unsafe`
    update webhook_secret set sealed = 'x' where endpoint_id = ${webhook.webhookId}::uuid
  `);
  const before = world.faults.length;
  await runSender(world.sender({ egress: sleepless }));
  expect(await deliveriesOf(webhook)).toMatchObject([
    { state: 'pending', lastFault: 'secret_unreadable' },
  ]);
  expect(world.faults.length).toBe(before + 1);
});
