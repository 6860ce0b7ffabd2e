import { addService, type Service, setServiceEnabled } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { expect, it } from 'vitest';
import { openSession } from '../fixtures/open-session.ts';
import { newAddress } from '../fixtures/signed-in-owner.ts';
import { expectRefused, startTestApp, type TestApp, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

const ENTRY: Omit<Service, 'createdAt'> = {
  slug: 'weather',
  name: 'Weather',
  baseUrl: 'https://weather.example/v1',
  enabled: false,
  payTo: newAddress(),
  maxPrice: 2n ** 64n - 1n,
  method: null,
  proof: 'x-payment-proof',
};

const list = (app: TestApp, apiKey: string) =>
  app.app.inject({ url: '/v1/services', headers: { authorization: `Bearer ${apiKey}` } });

it('lists nothing on a fresh deployment, and only what is enabled later', async () => {
  const s = await openSession(t);
  expect((await list(t, s.apiKey)).json()).toEqual({ items: [] });
  expect(await addService(t.db, ENTRY)).toBe(true);
  expect(await addService(t.db, { ...ENTRY, name: 'Again' })).toBe(false);
  expect((await list(t, s.apiKey)).json()).toEqual({ items: [] });
  expect(await setServiceEnabled(t.db, 'weather', true)).toBe(true);
  expect((await list(t, s.apiKey)).json()).toEqual({
    items: [
      {
        slug: 'weather',
        name: 'Weather',
        base_url: 'https://weather.example/v1',
        enabled: true,
        pay_to: ENTRY.payTo,
        max_price: '18446744073709551615',
        method: null,
        proof: 'x-payment-proof',
        created_at: expect.stringMatching(/Z$/),
      },
    ],
  });
});

it.each([
  ['slug', 'Upper'],
  ['slug', '-a'],
  ['name', ''],
  ['base_url', 'ftp://a.example/'],
  ['base_url', 'https://user@a.example/'],
  ['base_url', 'https://*.example/'],
  ['base_url', 'https://a.example/?q=1'],
  ['pay_to', 'nobody'],
  ['method', 'TRACE'],
  ['proof', 'trust'],
])('the database refuses %s %j', async (column, value) => {
  const service = { slug: 'a', name: 'A', base_url: 'https://a.example/', method: 'GET' };
  const row = { ...service, pay_to: newAddress(), proof: 'x402', max_price: '1', [column]: value };
  const insert = t.db.query(sql.unsafe`
    insert into service (slug, name, base_url, pay_to, max_price, method, proof)
    values (${row.slug}, ${row.name}, ${row.base_url}, ${row.pay_to}, ${row.max_price}::numeric,
      ${row.method}, ${row.proof})
  `);
  await expect(insert).rejects.toThrow(/check integrity constraint/);
});

it('needs a key, and is not a route where the extensions are off', async () => {
  expect((await t.app.inject({ url: '/v1/services' })).statusCode).toBe(401);
  await using plain = await startTestApp({ agentExtensions: false });
  const s = await openSession(plain);
  expectRefused(await list(plain, s.apiKey), 404, 'route not found');
});
