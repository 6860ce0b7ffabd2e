import { beforeAll, expect } from 'vitest';
import type { HttpOwner, HttpSession } from '../../support/http/http-owner.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { row } from '../row.ts';
import {
  bearer,
  call,
  callOther,
  newAddress,
  newOwner,
  newRecipient,
  revoke,
  createUnsigned,
  transfer,
} from '../world.ts';

let owner: HttpOwner;
let session: HttpSession;
let recipient: string;
/** Listed, but without a token account. */
let poor: string;
beforeAll(async () => {
  [owner, recipient] = await Promise.all([newOwner(3_000_000n), newRecipient()]);
  poor = newAddress();
  session = await owner.createSession({
    recipients: [recipient, poor],
    maxPerTx: 1_000_000n,
    dailyCap: 1_500_000n,
  });
});

const readWith = (authorization?: string) =>
  call(
    'GET',
    '/v1/yield/position',
    authorization === undefined ? {} : { headers: { authorization } },
  );

row('errors.body', async () => {
  const answers = await Promise.all([
    readWith(),
    call('GET', '/v1/nothing'),
    call('GET', '/v1/wallet'),
    transfer(session.apiKey, {}),
    transfer(session.apiKey, { recipient: newAddress(), amount: 1 }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([401, 404, 401, 400, 402]);
  for (const { body, headers } of answers) {
    expect(body).toMatchObject({ error: expect.stringMatching(/./) });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  }
});

row('errors.400.field-first', async () => {
  const wrong = [
    ['recipient', { recipient: 'nobody', amount: 1 }],
    ['recipient', { amount: 1 }],
    ['amount', { recipient }],
    ['amount', { recipient, amount: 'much' }],
  ] as const;
  for (const [field, body] of wrong) {
    const answer = await transfer(session.apiKey, body);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(new RegExp(`^${field} `)) },
    });
  }
});

row('errors.400.amount', async () => {
  for (const amount of [0, -1, 1.5, '0', '-1', '1.5', null]) {
    const answer = await transfer(session.apiKey, { recipient, amount });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^amount must be a positive number in base units/) },
    });
  }
});

row('errors.401.missing-bearer-token', async () => {
  for (const header of [undefined, 'Basic dXNlcjpwYXNz', 'Bearer']) {
    const answer = await readWith(header);
    expect(answer).toMatchObject({ status: 401, body: { error: 'missing bearer token' } });
  }
});

row('errors.401.invalid-token-format', async () => {
  for (const token of ['abc', 'sk_live_1', 'svc_', 'svc_test_x']) {
    const answer = await readWith(`Bearer ${token}`);
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid token format' } });
  }
});

row('errors.401.invalid-api-key', async () => {
  const almost = `${session.apiKey.slice(0, -2)}${session.apiKey.endsWith('AA') ? 'BB' : 'AA'}`;
  for (const key of ['svc_dev_unknown', 'svc_prod_unknown', almost]) {
    const answer = await readWith(`Bearer ${key}`);
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid api key' } });
  }
});

row('errors.401.api-key-revoked', async () => {
  const one = await owner.createSession({ recipients: [] });
  const path = `/v1/session/${one.sessionId}/rotate-key`;
  await call('POST', path, { headers: { cookie: owner.cookie } });
  expect(await readWith(`Bearer ${one.apiKey}`)).toMatchObject({
    status: 401,
    body: { error: 'api key revoked' },
  });
});

row('errors.401.session-revoked', async () => {
  const one = await owner.createSession({ recipients: [] });
  await revoke(owner, one.sessionId);
  const answer = await waitUntil('the api to know of the revocation', async () => {
    const seen = await readWith(`Bearer ${one.apiKey}`);
    return seen.status === 401 && seen;
  });
  expect(answer.body).toMatchObject({ error: 'session revoked' });
});

row('errors.402.insufficient-liquid', async () => {
  const answer = await transfer(session.apiKey, { recipient, amount: 5_000_000 });
  expect(answer).toMatchObject({
    status: 402,
    body: { error: 'INSUFFICIENT_LIQUID', amount: 5_000_000, layer: 'off-chain' },
  });
  const { liquid, deficit } = answer.body;
  expect(Number(liquid)).toBeLessThanOrEqual(3_000_000);
  expect(deficit).toBe(5_000_000 - Number(liquid));
});

const expectOnChain = async (body: object, detail: RegExp): Promise<void> => {
  const answer = await transfer(session.apiKey, { recipient, amount: 1, ...body });
  expect(answer).toMatchObject({
    status: 402,
    body: {
      error: 'on-chain submission failed',
      layer: 'on-chain',
      detail: expect.stringMatching(detail),
    },
  });
};

row('errors.402.on-chain', () => expectOnChain({ recipient: newAddress() }, /0x1770/));

row('errors.detail.RecipientNotAllowed', () =>
  expectOnChain({ recipient: newAddress() }, /RecipientNotAllowed/),
);

row('errors.detail.AmountExceedsMaxPerTx', () =>
  expectOnChain({ amount: 1_000_001 }, /AmountExceedsMaxPerTx/),
);

row('errors.detail.DailyCapExceeded', async () => {
  expect((await transfer(session.apiKey, { recipient, amount: 1_000_000 })).status).toBe(200);
  await expectOnChain({ amount: 500_001 }, /DailyCapExceeded/);
});

row('errors.detail.AccountNotInitialized', async () => {
  await expectOnChain({ recipient: poor }, /0xbc4/);
  await expectOnChain({ recipient: poor }, /AccountNotInitialized/);
});

row('errors.404.resource', async () => {
  const other = await newOwner(0n);
  const path = `/v1/session/${session.sessionId}`;
  const answers = await Promise.all([
    call('GET', path, { headers: { cookie: other.cookie } }),
    call('GET', '/v1/session/nonsense', { headers: { cookie: owner.cookie } }),
    call('GET', '/v1/spend/nonsense', { headers: bearer(session.apiKey) }),
  ]);
  expect(answers.map(({ status, body }) => [status, body['error']])).toEqual([
    [404, 'session not found'],
    [404, 'session not found'],
    [404, 'spend not found'],
  ]);
});

row('errors.500.server-misconfigured', async () => {
  const asked = [
    callOther('api-misconfigured', 'POST', '/v1/spend/transfer', {
      headers: bearer(session.apiKey),
      body: { recipient, amount: 1 },
    }),
    callOther('api-misconfigured', 'GET', '/v1/wallet', { headers: { cookie: owner.cookie } }),
    callOther('api-misconfigured', 'POST', '/v1/auth/siws/nonce', { body: {} }),
  ];
  for (const answer of await Promise.all(asked)) {
    expect(answer).toMatchObject({
      status: 500,
      body: { error: 'server misconfigured', code: 'SERVER_MISCONFIGURED', retryable: false },
    });
  }
  expect((await callOther('api-misconfigured', 'GET', '/readyz')).status).toBe(503);
});

row('errors.503.rpc-unavailable', async () => {
  const answers = await Promise.all([
    callOther('api-cut', 'POST', '/v1/spend/transfer', {
      headers: bearer(session.apiKey),
      body: { recipient, amount: 1 },
    }),
    callOther('api-cut', 'GET', '/v1/wallet', { headers: { cookie: owner.cookie } }),
  ]);
  for (const answer of answers) {
    expect(answer).toMatchObject({
      status: 503,
      body: { error: 'rpc unavailable', retryable: true },
    });
  }
});

row('errors.detail.AccountNotInitialized.session', async () => {
  const { body } = await createUnsigned(owner, { allowed_recipients: [recipient] });
  const answer = await transfer(String(body['api_key']), { recipient, amount: 1 });
  expect(answer).toMatchObject({ status: 402, body: { error: 'on-chain submission failed' } });
  expect(answer.body['detail']).toMatch(/0xbc4/);
  expect(answer.body['detail']).toMatch(/AccountNotInitialized/);
});

row('errors.detail.InstructionNotAllowed', async () => {
  const one = await owner.createSession({ recipients: [recipient], allowedInstructions: 0 });
  const answer = await transfer(one.apiKey, { recipient, amount: 1 });
  expect(answer).toMatchObject({ status: 402, body: { error: 'on-chain submission failed' } });
  expect(answer.body['detail']).toMatch(/InstructionNotAllowed/);
});

row('errors.detail.SessionExpired', async () => {
  const expiry = BigInt(Math.floor(Date.now() / 1_000) + 6);
  const one = await owner.createSession({ recipients: [recipient], expiry });
  const answer = await waitUntil(
    'the session’s expiry on chain',
    async () => {
      const asked = await transfer(one.apiKey, { recipient, amount: 1 });
      return asked.status !== 200 && asked;
    },
    { timeoutMs: 30_000, intervalMs: 250 },
  );
  expect(answer).toMatchObject({ status: 402, body: { error: 'on-chain submission failed' } });
  expect(answer.body['detail']).toMatch(/SessionExpired/);
});
