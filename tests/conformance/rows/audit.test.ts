import { expect } from 'vitest';
import { waitUntil } from '../../support/wait-until.ts';
import { countHistory, historyOf, readTransaction } from '../chain-history.ts';
import { row } from '../row.ts';
import {
  type Agent,
  type Items,
  itemsOf,
  newAddress,
  newOwner,
  newSpender,
  refused,
} from '../world.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const { owner, agent, recipient } = await newSpender();
const stranger = newAddress();
const beforeMs = Date.now();
const allow = (await agent.pay(12_345)).body;
await agent.pay(6_789, { recipient: stranger });
const afterMs = Date.now();
const both = await owner.audit(`session_id=${agent.sessionId}`);
const [denied = {}, allowed = {}] = both;

row(
  [
    'audit.id',
    'audit.wallet_id',
    'audit.session_id',
    'audit.action',
    'audit.amount',
    'audit.recipient',
    'audit.recipient_or_url',
    'audit.decision',
    'audit.reason',
    'audit.tx_signature',
    'rules.6.7-audit',
  ],
  () => {
    const common = {
      id: expect.stringMatching(UUID),
      wallet_id: owner.walletId,
      session_id: agent.sessionId,
      action: 'transfer',
    };
    expect(both).toMatchObject([
      {
        ...common,
        amount: '6789',
        recipient: stranger,
        recipient_or_url: stranger,
        decision: 'deny',
        reason: 'RecipientNotAllowed',
        tx_signature: null,
      },
      {
        ...common,
        amount: '12345',
        recipient,
        recipient_or_url: recipient,
        decision: 'allow',
        reason: null,
        tx_signature: allow['tx_signature'],
      },
    ]);
    expect(allowed['id']).not.toBe(denied['id']);
  },
);

row('audit.created_at', () => {
  for (const { created_at: at } of both) {
    expect(at).toMatch(ISO);
    // The database and the test share a clock; a second allows for rounding.
    expect(Date.parse(String(at))).toBeGreaterThanOrEqual(beforeMs - 1_000);
    expect(Date.parse(String(at))).toBeLessThanOrEqual(afterMs + 1_000);
  }
});

row('service.audit.chain-is-truth', async () => {
  const { succeeded, events } = await readTransaction(String(allowed['tx_signature']));
  expect(succeeded).toBe(true);
  const data = { amount: 12_345n, recipient };
  expect(events).toMatchObject([{ name: 'UsdcTransferred', data }]);
});

row(['service.audit.adds-reasons', 'events.audit-superset', 'open.audit.reverted'], async () => {
  const one = await owner.openAgent(recipient, { maxPerTx: 1n });
  const before = [await countHistory(owner.vault), await historyOf(one.sessionPda)];
  expect((await one.pay(2)).status).toBe(402);
  expect(await owner.audit(`session_id=${one.sessionId}`)).toMatchObject([
    { decision: 'deny', reason: 'AmountExceedsMaxPerTx', amount: '2', tx_signature: null },
  ]);
  expect([await countHistory(owner.vault), await historyOf(one.sessionPda)]).toEqual(before);
  const denials = await owner.audit('decision=deny');
  expect(denials.filter((item) => item['tx_signature'] !== null)).toEqual([]);
});

row(['endpoints.audit', 'endpoints.audit.filter'], async () => {
  for (const amount of [21, 22, 23]) await agent.pay(amount);
  const query = `session_id=${agent.sessionId}`;
  const first = await owner.call('GET', `/v1/audit?limit=2&${query}`);
  expect(first).toMatchObject({
    status: 200,
    body: { items: [{ amount: '23' }, { amount: '22' }], next_cursor: expect.any(String) },
  });
  const cursor = String(first.body['next_cursor']);
  expect(await owner.audit(`limit=1&cursor=${cursor}&${query}`)).toMatchObject([{ amount: '21' }]);
  await agent.pay(1_000_031);
  for (const [decision, newest] of [
    ['allow', '23'],
    ['deny', '1000031'],
  ]) {
    const items = await owner.audit(`decision=${decision}&${query}`);
    expect(items[0]).toMatchObject({ amount: newest });
    expect(new Set(items.map((item) => item['decision']))).toEqual(new Set([decision]));
  }
});

row('open.audit.session', async () => {
  const [one, two] = [await owner.openAgent([]), await owner.openAgent([])];
  for (const each of [one, two, one]) await each.pay(9, { recipient });
  const read = async ({ sessionId }: Agent) =>
    (await owner.audit(`session_id=${sessionId}`)).map((item) => item['session_id']);
  expect(await read(one)).toEqual([one.sessionId, one.sessionId]);
  expect(await read(two)).toEqual([two.sessionId]);
  const wrong = await owner.call('GET', '/v1/audit?session_id=nonsense');
  expect(wrong).toMatchObject(refused(400, /^session_id/));
});

row('open.audit.page', async () => {
  const many = await newSpender(0n);
  const amounts = Array.from({ length: 53 }, (_, i) => i + 1);
  for (const amount of amounts) await many.agent.pay(amount);
  const query = `session_id=${many.agent.sessionId}`;
  const read = (more: string) => many.owner.call('GET', `/v1/audit?${query}${more}`);
  const first = await read('');
  const rest = await read(`&cursor=${String(first.body['next_cursor'])}`);
  const pages = [first, rest].map(({ body }) => itemsOf(body));
  expect(pages.map((page) => page.length)).toEqual([50, 3]);
  expect(rest.body['next_cursor']).toBeNull();
  const seen = pages.flat().map(({ amount }) => Number(amount));
  expect(seen).toEqual(amounts.toReversed());
  expect(await many.owner.audit(`${query}&limit=200`)).toHaveLength(53);
  for (const wrong of ['limit=0', 'limit=201', 'limit=x', 'cursor=nonsense', 'decision=maybe']) {
    const { status, body } = await read(`&${wrong}`);
    expect([status, String(body['error']).split(' ')[0]]).toEqual([400, wrong.split('=')[0]]);
  }
});

row('open.audit.owner-actions', async () => {
  const other = await newOwner(0n);
  await other.revoke(await other.openAgent(recipient));
  const logged: Items = await waitUntil('the three actions of the owner in the log', async () => {
    const items = await other.audit();
    return items.length === 3 && items;
  });
  expect(logged).toMatchObject(
    ['revoke_session', 'add_session', 'init_vault'].map((action) => ({
      action,
      session_id: null,
      decision: 'allow',
    })),
  );
  for (const item of logged) {
    expect((await readTransaction(String(item['tx_signature']))).succeeded).toBe(true);
  }
});

const read = async () => [await owner.audit(), await countHistory(owner.vaultUsdcAta)];

row(['rules.8.reads', 'endpoints.position', 'endpoints.position.no-effects'], async () => {
  const before = await read();
  for (const path of ['/v1/wallet', '/v1/session', '/v1/fund/deposit-address', '/v1/audit']) {
    expect((await owner.call('GET', path)).status).toBe(200);
  }
  const [one, two] = [await agent.position(), await agent.position()];
  expect([one.status, two.body]).toEqual([200, one.body]);
  expect(Object.keys(one.body).toSorted()).toEqual([
    'accrued',
    'deployed',
    'liquid',
    'total_balance',
  ]);
  await agent.call('GET', '/v1/spend/00000000-0000-4000-8000-000000000000');
  expect(await read()).toEqual(before);
});
