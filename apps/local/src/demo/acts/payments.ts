import { refusal, servicesAnswer, signPaymentAnswer } from '@agent-wallet/contract';
import type { LocalService } from '@agent-wallet/local-system/paid-services/local-services.ts';
import { inShort, inUsdc } from '../amounts.ts';
import { type HttpReply, bodyOf } from '../cast/call-api.ts';
import type { Cast, Grantee } from '../cast/cast.ts';
import type { Step } from '../reporter.ts';
import { openSession } from './sessions.ts';
import type { Stage } from '../stage.ts';

/** Far above what the services charge. */
const MAX_PER_TX = 1_000_000n;
const DAILY_CAP = 5_000_000n;
/** The operator's price limit for one call. */
const CATALOG_MAX = 100_000;

/**
 * One agent pays services of the catalog and a URL that its owner allows. Returns false where there
 * are no services to pay.
 */
export async function payServices(stage: Stage, cast: Cast): Promise<boolean> {
  const { reporter, paidServices } = stage;
  const standard = paidServices.find(({ proof }) => proof === 'x402');
  const looker = paidServices.find(({ proof }) => proof === 'x-payment-proof');
  if (standard === undefined || looker === undefined) {
    reporter.note('\nThere are no paid services on this chain: the chapter is skipped.');
    return false;
  }
  reporter.chapter('An agent pays services');
  const caller = await fillCatalog(stage, cast, [standard, looker]);
  await payFromCatalog(stage, caller, standard, {
    title: 'a standard x402 service',
    path: '/oslo',
    who: 'its facilitator sent the payment and paid the fee',
  });
  await payFromCatalog(stage, caller, looker, {
    title: 'a service that checks X-Payment-Proof',
    path: '/today',
    who: 'our fee payer sent the payment, the service looked it up',
  });
  await refuseThePrice(stage, caller, looker);
  await payByItself(stage, cast, caller, looker);
  return true;
}

async function fillCatalog(
  stage: Stage,
  cast: Cast,
  services: readonly LocalService[],
): Promise<Grantee> {
  return stage.reporter.step('the operator lists two services', async (step) => {
    for (const { slug, url, proof } of services) {
      step.request(`agent-wallet catalog add ${slug} --url ${url} … --proof ${proof} --enabled`);
    }
    const [replies, grantee] = await Promise.all([
      Promise.all(services.map((service) => addToCatalog(stage, service))),
      openSession(stage, cast, {
        maxPerTx: MAX_PER_TX,
        dailyCap: DAILY_CAP,
        recipients: services.map(({ payTo }) => payTo),
      }),
    ]);
    for (const reply of replies) step.reply(reply);
    step.request('GET /v1/services');
    const { items } = bodyOf(await grantee.agent.get('/v1/services'), servicesAnswer);
    const listed = items.map(({ slug, pay_to: payTo }) => `${slug} ${payTo}`);
    for (const { slug, payTo } of services) {
      step.expect(`${slug} is listed`, true, listed.includes(`${slug} ${payTo}`));
    }
    step.reply(`200 with ${items.map(({ slug }) => slug).join(', ')}`);
    return grantee;
  });
}

async function addToCatalog(
  stage: Stage,
  { slug, url, payTo, proof }: LocalService,
): Promise<string> {
  const terms = ['--pay-to', payTo, '--max-price', String(CATALOG_MAX), '--proof', proof];
  const add = ['add', slug, '--url', url, ...terms, '--enabled'];
  try {
    return await stage.catalog(add);
  } catch {
    // A previous demo may have left it in the catalog.
    await stage.catalog(['remove', slug]);
    return stage.catalog(add);
  }
}

async function payFromCatalog(
  stage: Stage,
  caller: Grantee,
  service: LocalService,
  told: { readonly title: string; readonly path: string; readonly who: string },
): Promise<void> {
  const { slug, payTo, price } = service;
  const amount = BigInt(price);
  await stage.reporter.step(told.title, async (step) => {
    const before = await earned(stage, payTo);
    step.request(
      `POST /v1/spend/service { slug: ${slug}, path: ${told.path}, max_amount: ${price} }`,
    );
    const answer = await callService(stage, caller, { slug, path: told.path, max_amount: price });
    step.expect('status', 200, answer.status);
    const signature = answer.headers.get('x-tx-signature') ?? '';
    const spendId = answer.headers.get('x-spend-id') ?? '';
    step.expect('x-tx-signature is there', true, signature !== '');
    step.reply(`200 ${JSON.stringify(answer.body)}, x-tx-signature ${inShort(signature)}`);
    stage.ledger.allow({ recipient: payTo, amount }, spendId, signature);
    step.expect('what the service earned', amount, (await earned(stage, payTo)) - before);
    step.chain(`the service earned ${inUsdc(amount)}: ${told.who}`);
  });
}

async function refuseThePrice(
  stage: Stage,
  caller: Grantee,
  { slug, payTo, price }: LocalService,
): Promise<void> {
  await stage.reporter.step('a price above what the agent allows', async (step) => {
    const before = await earned(stage, payTo);
    step.request(`the same service with max_amount ${price - 1}`);
    const answer = await callService(stage, caller, { slug, max_amount: price - 1 });
    expectRefused(step, answer, { status: 402, error: 'QUOTED_OVER_MAX' });
    const body = refusal.parse(answer.body);
    step.expect('quoted', price, body.quoted);
    stage.ledger.deny({ recipient: payTo, amount: BigInt(price) }, body);
    step.expect('what the service earned', 0n, (await earned(stage, payTo)) - before);
    step.chain('nothing moved');
  });
}

async function payByItself(
  stage: Stage,
  cast: Cast,
  caller: Grantee,
  { url, payTo, price }: LocalService,
): Promise<void> {
  const { reporter, ledger } = stage;
  const payment = {
    url: 'https://almanac.example/v1/today',
    recipient: payTo,
    amount: price,
  };
  const spend = { recipient: payTo, amount: BigInt(price) };
  const sign = (): Promise<HttpReply> =>
    stage.callApi('POST', '/v1/spend/sign-payment', { headers: bearer(caller), body: payment });

  await reporter.step('a URL that is not allowed', async (step) => {
    step.request(`POST /v1/spend/sign-payment for ${payment.url}`);
    const answer = await sign();
    expectRefused(step, answer, { status: 403, error: 'URL_NOT_ALLOWED' });
    ledger.deny(spend, refusal.parse(answer.body));
  });
  await reporter.step(
    'the owner allows the URL, and the agent presents the proof',
    async (step) => {
      const pattern = 'https://almanac.example/v1/*';
      step.request(
        `PUT /v1/wallet/policy with ${pattern}, at most ${inUsdc(spend.amount)} per call`,
      );
      await cast.owner.setPolicy({ url_allowlist: [{ pattern, max_per_call: price }] });
      step.request('POST /v1/spend/sign-payment again');
      const paid = bodyOf(await sign(), signPaymentAnswer);
      ledger.allow(spend, paid.spend_id, paid.tx_signature);
      step.reply(`200, payment_proof_header ${inShort(paid.payment_proof_header)}`);
      const show = (): Promise<HttpReply> =>
        stage.callApi('GET', url, { headers: { 'x-payment-proof': paid.payment_proof_header } });
      step.request('two calls to the service itself with X-Payment-Proof');
      const first = await show();
      step.expect('status of the first', 200, first.status);
      const second = await show();
      step.expect('status of the second: a proof is valid for one request', 402, second.status);
      step.reply(`${first.status} ${JSON.stringify(first.body)}, then ${second.status}`);
    },
  );
}

/** The owner closes the time window for a moment, then removes it. */
export async function meetTheHours(stage: Stage, cast: Cast, grantee: Grantee): Promise<void> {
  await stage.reporter.step('outside the time window that the owner allows', async (step) => {
    const window = { start_min: 0, end_min: 0, days: 0, timezone: 'Europe/Zurich' };
    step.request('PUT /v1/wallet/policy: no day of the week, then a transfer');
    await cast.owner.setPolicy({ time_window: window });
    const reply = await grantee.agent.transfer({ recipient: cast.bakery, amount: 1n });
    step.expect('status', 403, reply.status);
    const error = reply.kind === 'refused' ? reply.refusal.error : reply.kind;
    step.expect('error', 'OUTSIDE_TIME_WINDOW', error);
    step.reply(`${reply.status} ${error}`);
    await cast.owner.setPolicy({});
  });
}

const bearer = ({ apiKey }: Grantee) => ({ authorization: `Bearer ${apiKey}` });

const callService = (stage: Stage, caller: Grantee, body: object): Promise<HttpReply> =>
  stage.callApi('POST', '/v1/spend/service', { headers: bearer(caller), body });

async function earned({ chain }: Stage, payee: string): Promise<bigint> {
  const [balance = 0n] = await chain.balances([chain.usdcAccountOf(payee)]);
  return balance;
}

function expectRefused(
  step: Step,
  { status, body }: HttpReply,
  expected: { readonly status: number; readonly error: string },
): void {
  const { error } = refusal.parse(body);
  step.reply(`${status} ${error}`);
  step.expect('status', expected.status, status);
  step.expect('error', expected.error, error);
}
