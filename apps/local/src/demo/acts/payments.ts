import { isAgentWalletError, type SignedPayment } from '@agent-wallet/sdk';
import type { LocalService } from '@agent-wallet/local-system/paid-services/local-services.ts';
import { inShort, inUsdc } from '../amounts.ts';
import type { Told } from '../cast/agent.ts';
import { callJson, type JsonReply } from '../cast/call-json.ts';
import type { Cast, Grantee } from '../cast/cast.ts';
import { openSession } from './sessions.ts';
import { expectRefusal, statusOf } from './spending.ts';
import type { Stage } from '../stage.ts';

/** Far above what the services charge. */
const MAX_PER_TX = 1_000_000n;
const DAILY_CAP = 5_000_000n;
/** The operator's price limit for one call. */
const CATALOG_MAX = 100_000;
const OVER_MAX = { status: 402, error: 'QUOTED_OVER_MAX' };

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
    const items = await grantee.agent.wallet.services();
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
    const call = { slug, path: told.path, max_amount: amount };
    const response = await caller.agent.wallet.payService(call, { signal: stage.ended });
    step.expect('status', 200, response.status);
    const signature = response.headers.get('x-tx-signature') ?? '';
    const spendId = response.headers.get('x-spend-id') ?? '';
    step.expect('x-tx-signature is there', true, signature !== '');
    step.reply(`200 ${await response.text()}, x-tx-signature ${inShort(signature)}`);
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
    const amount = BigInt(price);
    try {
      await caller.agent.wallet.payService({ slug, max_amount: amount - 1n });
      step.expect('error', 'QUOTED_OVER_MAX', 'none');
    } catch (error) {
      if (!isAgentWalletError(error)) throw error;
      expectRefusal(step, { kind: 'refused', refusal: error }, OVER_MAX);
      step.expect('quoted', amount, error.details.quoted);
      stage.ledger.deny({ recipient: payTo, amount }, error);
    }
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
  const { reporter, ended } = stage;
  const { agent } = caller;
  const spend = { recipient: payTo, amount: BigInt(price) };
  const payment = { ...spend, url: 'https://almanac.example/v1/today' };
  const sign = (): Promise<Told<SignedPayment>> =>
    agent.tell(spend, agent.wallet.signPayment(payment, { signal: ended }));

  await reporter.step('a URL that is not allowed', async (step) => {
    step.request(`POST /v1/spend/sign-payment for ${payment.url}`);
    expectRefusal(step, await sign(), { status: 403, error: 'URL_NOT_ALLOWED' });
  });
  await reporter.step(
    'the owner allows the URL, and the agent presents the proof',
    async (step) => {
      const pattern = 'https://almanac.example/v1/*';
      step.request(
        `PUT /v1/wallet/policy with ${pattern}, at most ${inUsdc(spend.amount)} per call`,
      );
      const entry = { pattern, max_per_call: spend.amount };
      await cast.owner.setPolicy({ url_allowlist: [entry], time_window: null });
      step.request('POST /v1/spend/sign-payment again');
      const paid = await sign();
      step.expect('status', 200, statusOf(paid));
      if (paid.kind !== 'confirmed') return;
      const { payment_proof_header: proof } = paid.reply;
      step.reply(`200, payment_proof_header ${inShort(proof)}`);
      const show = (): Promise<JsonReply> =>
        callJson(url, { headers: { 'x-payment-proof': proof } }, ended);
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
    await cast.owner.setPolicy({ url_allowlist: [], time_window: window });
    const reply = await grantee.agent.transfer({ recipient: cast.bakery, amount: 1n });
    expectRefusal(step, reply, { status: 403, error: 'OUTSIDE_TIME_WINDOW' });
    await cast.owner.setPolicy({ url_allowlist: [], time_window: null });
  });
}

async function earned({ chain }: Stage, payee: string): Promise<bigint> {
  const [balance = 0n] = await chain.balances([chain.usdcAccountOf(payee)]);
  return balance;
}
