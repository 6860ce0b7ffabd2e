import { addService } from '@agent-wallet/spend';
import { Keypair } from '@solana/web3.js';
import {
  createProofCheck,
  createProofService,
} from '@agent-wallet/local-system/paid-services/proof-service.ts';
import { callApi, createHttpOwner } from '../../../support/http/http-owner.ts';
import { createCounter, type ServiceStreet } from '../../../support/services/service-street.ts';
import { requestNonce, cookieOf, exchange } from '../../../support/http/sign-in.ts';
import { type PlainAnswer, send } from '../../plain-http.ts';
import { exchangeRaw } from '../../raw-http.ts';
import type { Target } from '../../target.ts';
import { type Secret, secretBytes, secretText } from './secrets.ts';

const PRICE = 25_000n;
const FUNDS = 10_000_000n;

export type Life = {
  /** The secrets that the API has issued. */
  readonly secrets: readonly Secret[];
  /** What the API answered and the service received; answers that issue a secret are left out. */
  readonly seen: string;
};

/**
 * Runs a wallet through sign-in, sessions, rotations, payments, refusals and malformed requests.
 */
export async function live({ system, fixture }: Target, street: ServiceStreet): Promise<Life> {
  const secrets: Secret[] = [];
  const seen: string[] = [];
  const owner = await createHttpOwner(system, fixture, FUNDS);
  const recipient = await fixture.createRecipient();
  const challenge = await requestNonce(system);
  const cookie = cookieOf(await exchange(system, owner.keypair, challenge));
  secrets.push(
    secretText('a nonce', challenge.nonce),
    secretText('a cookie', cookie.split('=')[1]?.split('.')[2] ?? ''),
    secretText('the first cookie', owner.cookie.split('=')[1]?.split('.')[2] ?? ''),
    secretBytes("the owner's key", owner.keypair.secretKey),
  );
  const session = await owner.createSession({ recipients: [recipient], maxPerTx: 1_000_000n });
  const keys = [session.apiKey];
  const rotate = async (): Promise<string> => {
    const path = `/v1/session/${session.sessionId}/rotate-key`;
    const { body } = await callApi(system, 'POST', path, { headers: { cookie } });
    keys.push(String(body['api_key']));
    return keys.at(-1) ?? '';
  };
  await rotate();
  const apiKey = await rotate();
  secrets.push(...keys.map((key, n) => secretText(`api key ${n}`, key.slice('svc_dev_'.length))));

  const webhook = await callApi(system, 'POST', '/v1/webhooks', {
    headers: { cookie },
    body: { url: 'https://hooks.invalid/', events: ['spend.settled', 'spend.refused'] },
  });
  const rotation = `/v1/webhooks/${String(webhook.body['webhook_id'])}/rotate-secret`;
  const rotated = await callApi(system, 'POST', rotation, { headers: { cookie } });
  for (const { body } of [webhook, rotated]) {
    secrets.push(secretText('a webhook secret', String(body['secret']).slice('whsec_'.length)));
  }

  const request = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: unknown,
  ): Promise<PlainAnswer> => {
    const json: Record<string, string> = { 'content-type': 'application/json', ...headers };
    const answer = await (body === undefined
      ? send(system, method, path, { headers })
      : send(system, method, path, { headers: json, body: JSON.stringify(body) }));
    seen.push(JSON.stringify(answer.headers), answer.text);
    return answer;
  };
  const asOwner = { cookie };
  const asAgent = { authorization: `Bearer ${apiKey}` };
  await request('PUT', '/v1/wallet/policy', asOwner, {
    url_allowlist: [{ pattern: 'https://a.example/**', max_per_call: 1_000_000 }],
    time_window: null,
  });
  const ofOwner = ['wallet', 'wallet/policy', 'session', 'audit'].map((name) => `/v1/${name}`);
  for (const path of [...ofOwner, '/openapi.json', '/docs']) await request('GET', path, asOwner);
  const pay = { recipient, amount: 50_000 };
  const keyed = { ...asAgent, 'idempotency-key': 'k' };
  const transfer = (headers: Record<string, string>, change: Record<string, unknown> = {}) =>
    request('POST', '/v1/spend/transfer', headers, { ...pay, ...change });
  const signPayment = (url: string) =>
    request('POST', '/v1/spend/sign-payment', asAgent, { ...pay, url });
  await Promise.all([
    transfer(keyed),
    signPayment('https://a.example/x'),
    signPayment('https://b.example/x'),
    transfer(asAgent, { amount: 2_000_000 }),
    transfer(asAgent, { amount: 900_000_000 }),
    transfer(asAgent, { recipient: Keypair.generate().publicKey }),
    transfer(keyed, { amount: 1 }),
  ]);
  seen.push(await payService());
  for (const path of ['/v1/yield/position', '/v1/agent/limits', '/v1/services']) {
    await request('GET', path, asAgent);
  }
  await goWrong();
  await request('POST', '/v1/auth/logout', asOwner, {});
  await request('GET', '/v1/wallet', asOwner);
  return { secrets, seen: seen.join('\n') };

  /** Returns what a service receives from an agent that sends all its secrets along. */
  async function payService(): Promise<string> {
    const priced = { payTo: recipient, asset: system.usdcMint, amount: PRICE };
    const check = createProofCheck({ ...priced, rpcUrl: system.urls.rpc });
    const serve = createProofService({ ...priced, check, sell: createCounter().sell });
    const received: string[] = [];
    const baseUrl = street.open('paid', (incoming, response) => {
      received.push(JSON.stringify([incoming.url, incoming.rawHeaders]));
      serve(incoming, response);
    });
    const entry = { slug: 'paid', name: 'paid', baseUrl, proof: 'x-payment-proof' } as const;
    await addService(fixture.db, {
      ...entry,
      payTo: recipient,
      maxPrice: PRICE,
      enabled: true,
      method: null,
    });
    const all = { ...asAgent, cookie, 'x-api-key': apiKey, 'proxy-authorization': apiKey };
    const { status } = await request('POST', '/v1/spend/service', all, {
      slug: 'paid',
      max_amount: 30_000,
    });
    if (status !== 200 || received.length < 2)
      throw new Error(`the service was not paid: ${status}`);
    return received.join('\n');
  }

  /** Makes mistakes with secrets: wrong headers, bodies, paths and malformed HTTP. */
  async function goWrong(): Promise<void> {
    for (const old of keys)
      await request('GET', '/v1/yield/position', { authorization: `Bearer ${old}` });
    await request('GET', '/v1/wallet', asAgent);
    await request('GET', '/v1/yield/position', { authorization: apiKey });
    await request('GET', '/v1/yield/position', { authorization: `Bearer ${apiKey}x` });
    await request('GET', '/v1/wallet', { cookie: `${cookie}x` });
    await request('POST', '/v1/spend/transfer', asAgent, {
      api_key: apiKey,
      amount: apiKey,
      recipient: apiKey,
    });
    await request(
      'POST',
      '/v1/auth/siws',
      {},
      { pubkey: apiKey, nonce: cookie, signature: apiKey },
    );
    await request('GET', `/v1/spend/${apiKey}`, asAgent);
    await request('GET', `/v1/yield/position?api_key=${apiKey}`, asAgent);
    await request('GET', `/v1/nothing/${apiKey}`, asAgent);
    await request('GET', `/v1/audit?cursor=${apiKey}`, asOwner);
    const broken = [
      `GET /v1/yield/position HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\nBad\x00: x\r\n\r\n`,
      `POST /v1/spend/transfer HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: 60\r\nConnection: close\r\n\r\n{"key":"${apiKey.slice(0, 50)}`.padEnd(
        400,
        '}',
      ),
      `GET /v1/wallet HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\nContent-Length: x\r\n\r\n`,
    ];
    for (const bytes of broken) {
      const { answers, rest } = await exchangeRaw(system, bytes);
      seen.push(JSON.stringify(answers), rest);
    }
  }
}
