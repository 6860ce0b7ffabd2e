import { Client } from 'pg';
import { expect } from 'vitest';
import { waitUntil } from '../../support/wait-until.ts';
import { readTransaction } from '../chain-history.ts';
import { row } from '../row.ts';
import {
  agentWith,
  call,
  callOther,
  createUnsigned,
  newSpender,
  refused,
  world,
} from '../world.ts';

const { owner, agent, recipient } = await newSpender();

row(
  [
    'auth.agent.header',
    'auth.agent.prefix',
    'auth.agent.other-form',
    'errors.401.missing-bearer-token',
    'errors.401.invalid-token-format',
    'errors.401.invalid-api-key',
    'session.api_key',
  ],
  async () => {
    expect(agent.apiKey).toMatch(/^svc_dev_/);
    expect((await agent.position()).status).toBe(200);
    const { apiKey } = agent;
    const secret = apiKey.slice('svc_dev_'.length);
    const almost = `${apiKey.slice(0, -2)}${apiKey.endsWith('AA') ? 'BB' : 'AA'}`;
    const unaccepted: Readonly<Record<string, readonly Record<string, string>[]>> = {
      'missing bearer token': [
        {},
        { authorization: apiKey },
        { 'x-api-key': apiKey },
        { authorization: 'Basic dXNlcjpwYXNz' },
        { authorization: 'Bearer' },
      ],
      'invalid token format': [
        'abc',
        'sk_live_1',
        'svc_',
        'svc_test_x',
        secret,
        `SVC_DEV_${secret}`,
        `svc_test_${secret}`,
      ].map((token) => ({ authorization: `Bearer ${token}` })),
      'invalid api key': [
        'svc_dev_unknown',
        'svc_prod_unknown',
        'svc_dev_x',
        'svc_prod_x',
        almost,
      ].map((token) => ({ authorization: `Bearer ${token}` })),
    };
    for (const [error, headers] of Object.entries(unaccepted)) {
      for (const one of headers) {
        const answer = await call('GET', '/v1/yield/position', { headers: one });
        expect([one, answer]).toMatchObject([one, refused(401, error)]);
      }
    }
  },
);

row('rules.6.1-authenticate', async () => {
  const answer = await agentWith('svc_dev_nobody').call('POST', '/v1/spend/transfer', {
    amount: 'nothing',
  });
  expect(answer).toMatchObject(refused(401, 'invalid api key'));
});

row('auth.agent.bound', async () => {
  const { agent: theirs } = await newSpender(777n);
  const sister = await owner.openAgent([]);
  expect((await theirs.position()).body['liquid']).toBe('777');
  const path = `/v1/spend/${String((await agent.pay(61)).body['spend_id'])}`;
  const answers = await Promise.all([agent, sister, theirs].map((one) => one.call('GET', path)));
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 404]);
  // The sister's own list is empty, whatever this one's holds.
  expect((await sister.pay(1, { recipient })).status).toBe(402);
});

row(
  [
    'auth.agent.no-owner-endpoints',
    'endpoints.audit.auth',
    'endpoints.deposit-address.auth',
    'endpoints.rotate-key.auth',
    'endpoints.session-create.auth',
    'endpoints.wallet-create.auth',
    'endpoints.wallet-read.auth',
  ],
  async () => {
    const path = `/v1/session/${(await owner.openAgent([])).sessionId}`;
    for (const [method, where] of [
      ['GET', '/v1/audit'],
      ['GET', '/v1/fund/deposit-address'],
      ['GET', '/v1/wallet'],
      ['POST', '/v1/wallet'],
      ['GET', '/v1/session'],
      ['POST', '/v1/session'],
      ['GET', path],
      ['POST', `${path}/rotate-key`],
      ['POST', `${path}/revoke`],
    ] as const) {
      const body = method === 'POST' ? {} : undefined;
      const without = await call(method, where, body === undefined ? {} : { body });
      const withKey = await agent.call(method, where, body);
      const withCookie = await owner.call(method, where, body);
      expect([where, without.status, withKey.status]).toEqual([where, 401, 401]);
      expect([where, withCookie.status]).not.toEqual([where, 401]);
    }
  },
);

row('session.agents-cannot-read', async () => {
  for (const path of ['/v1/session', `/v1/session/${agent.sessionId}`, '/v1/wallet']) {
    expect((await agent.call('GET', path)).status).toBe(401);
  }
  const headers = { authorization: `Bearer ${agent.apiKey}` };
  const limits = await callOther('api-plain', 'GET', '/v1/agent/limits', { headers });
  expect(limits.status).toBe(404);
});

row('endpoints.agents.auth', async () => {
  const answers = [
    await owner.call('GET', '/v1/yield/position'),
    await owner.call('POST', '/v1/spend/transfer', { recipient, amount: 1 }),
  ];
  for (const answer of answers) {
    expect(answer).toMatchObject(refused(401, 'missing bearer token'));
  }
});

row('auth.agent.no-own-limits', async () => {
  // From now on something counts, and the window stands still.
  await agent.pay(1);
  const before = await owner.readSession(agent.sessionId);
  const fields = { max_per_tx: 5, daily_cap: 5, allowed_recipients: [], allowed_instructions: 7 };
  expect((await agent.pay(1_000_001, fields)).body['code']).toBe('AmountExceedsMaxPerTx');
  const path = `/v1/session/${agent.sessionId}`;
  for (const [method, where] of [
    ['PATCH', path],
    ['PUT', `${path}/recipients`],
    ['POST', '/v1/session'],
  ] as const) {
    expect([401, 404]).toContain((await agent.call(method, where, fields)).status);
  }
  expect(await owner.readSession(agent.sessionId)).toEqual(before);
});

row('auth.agent.no-free-signing', async () => {
  const { txBase64 } = (await createUnsigned(owner)).body;
  const answer = await agent.pay(62, { txBase64, instructions: ['memo'], memo: 'hello' });
  const { programs, events } = await readTransaction(String(answer.body['tx_signature']));
  const known = ['ComputeBudget111111111111111111111111111111', world.programId];
  expect(programs.filter((program) => !known.includes(program))).toEqual([]);
  expect(events).toMatchObject([{ name: 'UsdcTransferred', data: { amount: 62n, recipient } }]);
});

row('endpoints.position.first-call', async () => {
  const apiKey = String((await createUnsigned(owner)).body['api_key']);
  expect((await agentWith(apiKey).position()).status).toBe(200);
  expect((await agentWith(`${apiKey}x`).position()).status).toBe(401);
});

row('session.api_key.once', async () => {
  const paths = [`/v1/session/${agent.sessionId}`, '/v1/session', '/v1/wallet', '/v1/audit'];
  for (const path of paths) {
    const { status, body } = await owner.call('GET', path);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(agent.apiKey);
    expect(JSON.stringify(body)).not.toContain('"api_key"');
  }
});

row('session.api_key.hashed', async () => {
  const client = new Client({ connectionString: world.databaseUrl });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`);
    const secret = agent.apiKey.slice('svc_dev_'.length);
    const found: string[] = [];
    for (const { name } of tables.rows) {
      const rows = await client.query(`select 1 from ${name} as t where t::text like $1`, [
        `%${secret}%`,
      ]);
      if (rows.rowCount !== 0) found.push(name);
    }
    expect(tables.rows.map(({ name }) => name)).toContain('public.api_key');
    expect(found).toEqual([]);
  } finally {
    await client.end();
  }
});

row(
  [
    'auth.agent.rotated',
    'endpoints.rotate-key',
    'errors.401.api-key-revoked',
    'open.idempotency.rotation',
    'open.rotate-key',
    'session.api_key.rotates',
    'states.session.rotated',
  ],
  async () => {
    const one = await owner.openAgent(recipient);
    expect((await one.position()).status).toBe(200);
    const key = { 'idempotency-key': 'invoice-20' };
    const first = await one.pay(86, {}, key);
    const answer = await owner.call('POST', `/v1/session/${one.sessionId}/rotate-key`);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      session_id: one.sessionId,
      api_key: expect.stringMatching(/^svc_dev_/),
    });
    expect(answer.body['api_key']).not.toBe(one.apiKey);
    expect(await one.position()).toMatchObject(refused(401, 'api key revoked'));
    const rotated = agentWith(String(answer.body['api_key']), recipient);
    expect((await rotated.position()).status).toBe(200);
    expect((await rotated.pay(104)).status).toBe(200);
    expect((await rotated.pay(86, {}, key)).body['spend_id']).toBe(first.body['spend_id']);
    expect((await owner.readSession(one.sessionId))['status']).toBe('live');
  },
);

row('open.429.key', async () => {
  const one = await owner.openAgent([]);
  const headers = { authorization: `Bearer ${one.apiKey}` };
  const answers = [];
  for (let i = 0; i < 6; i += 1) {
    answers.push(await callOther('api-strict', 'GET', '/v1/yield/position', { headers }));
  }
  const limited = answers.find(({ status }) => status === 429);
  expect(answers[0]?.status).toBe(200);
  expect(limited?.body).toMatchObject({ error: 'rate limited', retryable: true });
  expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThan(0);
  // Another api of the same deployment still accepts the key.
  expect((await one.position()).status).toBe(200);
});

row('open.audit.none', async () => {
  const one = await owner.openAgent(recipient);
  const headers = { authorization: `Bearer ${one.apiKey}` };
  const body = { recipient: 'nobody', amount: 1 };
  const statuses = [
    (await one.pay(0)).status,
    (await agentWith(`${one.apiKey}x`, recipient).pay(1)).status,
    (await one.call('GET', '/v1/spend/00000000-0000-4000-8000-000000000000')).status,
  ];
  expect(statuses).toEqual([400, 401, 404]);
  await waitUntil('a 429', async () => {
    const answer = await callOther('api-strict', 'POST', '/v1/spend/transfer', { headers, body });
    return answer.status === 429;
  });
  expect(await owner.audit(`session_id=${one.sessionId}`)).toEqual([]);
});
