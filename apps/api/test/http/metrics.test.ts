import { expect, it } from 'vitest';
import { type Scrape, scrapeRegistry } from '../../../../tests/support/http/scrape.ts';
import { createLatch } from '../../../../tests/support/latch.ts';
import { waitUntil } from '../../../../tests/support/wait-until.ts';
import { openSession } from '../fixtures/open-session.ts';
import { settleOnNudge, settleQueued } from '../fixtures/spends-of-wallet.ts';
import { useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();
const scrape = (): Promise<Scrape> => scrapeRegistry(t.metrics.registry);
const inFlight = async (): Promise<number> =>
  (await scrape()).valueOf('agent_wallet_http_requests_in_flight');
const seriesOf = ({ text }: Scrape, name: string): readonly string[] =>
  text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));

const REFUSALS = 'agent_wallet_refusals_total';
const REQUESTS = 'agent_wallet_http_requests_total';
const ANSWERED = 'agent_wallet_spends_answered_total';

it('shows every outcome of a spend and every code of a refusal at 0 before the first', async () => {
  const first = await scrape();
  expect(first.valueOf(`${ANSWERED}{kind="transfer",outcome="confirmed",layer="none"}`)).toBe(0);
  expect(first.valueOf(`${ANSWERED}{kind="pay_service",outcome="unpaid",layer="none"}`)).toBe(0);
  expect(first.valueOf(`${REFUSALS}{code="INSUFFICIENT_LIQUID"}`)).toBe(0);
  expect(first.valueOf(`${REFUSALS}{code="DailyCapExceeded"}`)).toBe(0);
  expect(first.valueOf('agent_wallet_delivery_tries_total{outcome="refused"}')).toBe(0);
});

it('counts the requests in flight, also of clients that hang up', async () => {
  const origin = await t.app.listen({ host: '127.0.0.1', port: 0 });
  const s = await openSession(t);
  const nudged = createLatch('the nudge');
  t.onNudge = async () => nudged.open();
  const abort = new AbortController();
  const call = fetch(`${origin}/v1/spend/transfer`, {
    method: 'POST',
    headers: { authorization: `Bearer ${s.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ recipient: s.recipient, amount: 1 }),
    signal: abort.signal,
  });
  call.catch(() => {});
  await nudged.wait();
  expect(await inFlight()).toBe(1);
  abort.abort();
  await waitUntil('the end of the request', async () => (await inFlight()) === 0);
  await settleQueued(t, s.walletId);
  await waitUntil('the end of its wait', () => t.logLines().includes('spend answered'));
});

it('counts refusals by the code of their body, and spends by their time', async () => {
  const before = await scrape();
  const s = await openSession(t);
  settleOnNudge(t);
  expect((await s.pay(5)).statusCode).toBe(200);
  expect((await s.pay(100_000_000)).statusCode).toBe(402);
  settleOnNudge(t, 'DailyCapExceeded');
  expect((await s.pay(7)).statusCode).toBe(402);
  await t.app.inject({ method: 'POST', url: '/v1/spend/transfer', payload: {} });
  const after = await scrape();
  const grown = (series: string): number => after.valueOf(series) - before.valueOf(series);
  expect(grown(`${REFUSALS}{code="DailyCapExceeded"}`)).toBe(1);
  expect(grown(`${ANSWERED}{kind="transfer",outcome="refused",layer="off-chain"}`)).toBe(1);
  expect(grown(`${ANSWERED}{kind="transfer",outcome="refused",layer="on-chain"}`)).toBe(1);
  const seconds = 'agent_wallet_spend_answer_seconds_count{kind="transfer"}';
  const confirmed = `${ANSWERED}{kind="transfer",outcome="confirmed",layer="none"}`;
  expect(grown(confirmed)).toBe(1);
  expect(after.valueOf(seconds)).toBe(after.valueOf(confirmed));
  const target = 'method="POST",route="/v1/spend/transfer"';
  expect(after.valueOf(`${REQUESTS}{${target},status="402"}`)).toBe(2);
  expect(after.valueOf(`${REQUESTS}{${target},status="401"}`)).toBe(1);
});

it('makes one series of all requests that no route takes', async () => {
  const count = async () => seriesOf(await scrape(), REQUESTS).length;
  await t.app.inject({ method: 'GET', url: '/nowhere' });
  const before = await count();
  for (const method of ['PROPFIND', 'PUT', 'TRACE', 'DELETE'] as const) {
    // Its types leave out some of the methods that Node reads.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    await t.app.inject({ method: method as 'PUT', url: `/nowhere/${method}` });
  }
  expect(await count()).toBe(before);
  const { text } = await scrape();
  expect(text).toContain('{method="any",route="none",status="404"}');
  expect(text).not.toMatch(/PROPFIND|TRACE|nowhere/);
});
