import { addService } from '@agent-wallet/spend';
import { Keypair } from '@solana/web3.js';
import {
  createProofCheck,
  createProofService,
} from '@agent-wallet/local-system/paid-services/proof-service.ts';
import { callApi, createHttpOwner } from '../../../support/http/http-owner.ts';
import { createCounter, type ServiceStreet } from '../../../support/services/service-street.ts';
import { askNonce, cookieOf, exchange } from '../../../support/http/sign-in.ts';
import { type PlainAnswer, send } from '../../plain-http.ts';
import { exchangeRaw } from '../../raw-http.ts';
import type { Target } from '../../target.ts';
import { type Secret, secretBytes, secretText } from './secrets.ts';

const PRICE = 25_000n;
const FUNDS = 10_000_000n;

export type Life = {
  /** What was given out in the course of it. */
  readonly secrets: readonly Secret[];
  /** What the api said, but for the answers that give a secret out; and what the service was told. */
  readonly told: string;
};

/** A small life of a wallet: sign-in, sessions, rotations, payments, refusals, and broken requests. */
export async function live({ system, fixture }: Target, street: ServiceStreet): Promise<Life> {
  const secrets: Secret[] = [];
  const told: string[] = [];
  const owner = await createHttpOwner(system, fixture, FUNDS);
  const recipient = await fixture.createRecipient();
  const challenge = await askNonce(system);
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

  const ask = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: unknown,
  ): Promise<PlainAnswer> => {
    const json: Record<string, string> = { 'content-type': 'application/json', ...headers };
    const answer = await (body === undefined
      ? send(system, method, path, { headers })
      : send(system, method, path, { headers: json, body: JSON.stringify(body) }));
    told.push(JSON.stringify(answer.headers), answer.text);
    return answer;
  };
  const asOwner = { cookie };
  const asAgent = { authorization: `Bearer ${apiKey}` };
  await ask('PUT', '/v1/wallet/policy', asOwner, {
    url_allowlist: [{ pattern: 'https://a.example/**', max_per_call: 1_000_000 }],
    time_window: null,
  });
  for (const path of [
    '/v1/wallet',
    '/v1/wallet/policy',
    '/v1/session',
    '/v1/audit',
    '/openapi.json',
    '/docs',
  ]) {
    await ask('GET', path, asOwner);
  }
  const pay = { recipient, amount: 50_000 };
  await Promise.all([
    ask('POST', '/v1/spend/transfer', { ...asAgent, 'idempotency-key': 'k' }, pay),
    ask('POST', '/v1/spend/sign-payment', asAgent, { ...pay, url: 'https://a.example/x' }),
    ask('POST', '/v1/spend/sign-payment', asAgent, { ...pay, url: 'https://b.example/x' }),
    ask('POST', '/v1/spend/transfer', asAgent, { ...pay, amount: 2_000_000 }),
    ask('POST', '/v1/spend/transfer', asAgent, { ...pay, amount: 900_000_000 }),
    ask('POST', '/v1/spend/transfer', asAgent, { ...pay, recipient: Keypair.generate().publicKey }),
    ask(
      'POST',
      '/v1/spend/transfer',
      { ...asAgent, 'idempotency-key': 'k' },
      { ...pay, amount: 1 },
    ),
  ]);
  told.push(await payService());
  for (const path of ['/v1/yield/position', '/v1/agent/limits', '/v1/services']) {
    await ask('GET', path, asAgent);
  }
  await goWrong();
  await ask('POST', '/v1/auth/logout', asOwner, {});
  await ask('GET', '/v1/wallet', asOwner);
  return { secrets, told: told.join('\n') };

  /** What the service was told, by an agent that sends all that it has. */
  async function payService(): Promise<string> {
    const priced = { payTo: recipient, asset: system.usdcMint, amount: PRICE };
    const check = createProofCheck({ ...priced, rpcUrl: system.urls.rpc });
    const serve = createProofService({ ...priced, check, sell: createCounter().sell });
    const seen: string[] = [];
    const baseUrl = street.open('paid', (request, response) => {
      seen.push(JSON.stringify([request.url, request.rawHeaders]));
      serve(request, response);
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
    const { status } = await ask('POST', '/v1/spend/service', all, {
      slug: 'paid',
      max_amount: 30_000,
    });
    if (status !== 200 || seen.length < 2) throw new Error(`the service was not paid: ${status}`);
    return seen.join('\n');
  }

  /** Mistakes that people make with secrets in their hands. */
  async function goWrong(): Promise<void> {
    for (const old of keys)
      await ask('GET', '/v1/yield/position', { authorization: `Bearer ${old}` });
    await ask('GET', '/v1/wallet', asAgent);
    await ask('GET', '/v1/yield/position', { authorization: apiKey });
    await ask('GET', '/v1/yield/position', { authorization: `Bearer ${apiKey}x` });
    await ask('GET', '/v1/wallet', { cookie: `${cookie}x` });
    await ask('POST', '/v1/spend/transfer', asAgent, {
      api_key: apiKey,
      amount: apiKey,
      recipient: apiKey,
    });
    await ask('POST', '/v1/auth/siws', {}, { pubkey: apiKey, nonce: cookie, signature: apiKey });
    await ask('GET', `/v1/spend/${apiKey}`, asAgent);
    await ask('GET', `/v1/yield/position?api_key=${apiKey}`, asAgent);
    await ask('GET', `/v1/nothing/${apiKey}`, asAgent);
    await ask('GET', `/v1/audit?cursor=${apiKey}`, asOwner);
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
      told.push(JSON.stringify(answers), rest);
    }
  }
}
