import { sql } from 'slonik';
import { describe, expect, it } from 'vitest';
import { openSession } from '../fixtures/open-session.ts';
import { type Owner, signIn } from '../fixtures/signed-in-owner.ts';
import { expectRefused, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

const OFFICE = { start_min: 540, end_min: 1020, days: 31, timezone: 'Europe/Berlin' };
const ENTRY = { pattern: 'https://api.example.com/v1/**', max_per_call: 50_000 };

/** An owner with a wallet whose vault was never made: rules can be set before. */
async function ownerWithWallet(): Promise<Owner> {
  const owner = await signIn(t);
  await owner.call('POST', '/v1/wallet', {});
  return owner;
}

const put = (owner: Owner, body: object) => owner.call('PUT', '/v1/wallet/policy', body);

describe('the off-chain policy', () => {
  it('is empty at first: no URL, always open', async () => {
    const owner = await ownerWithWallet();
    const answer = await owner.call('GET', '/v1/wallet/policy');
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { version: 0, url_allowlist: [], time_window: null },
    ]);
  });

  it('is replaced as a whole, and read back by both endpoints', async () => {
    const owner = await ownerWithWallet();
    const big = { pattern: 'https://b.example/*', max_per_call: '18446744073709551615' };
    const set = await put(owner, { url_allowlist: [ENTRY, big], time_window: OFFICE });
    const expected = { url_allowlist: [ENTRY, big], time_window: OFFICE };
    expect([set.statusCode, set.json()]).toEqual([200, { version: 1, ...expected }]);
    expect((await owner.call('GET', '/v1/wallet/policy')).json()).toEqual(set.json());
    expect((await owner.call('GET', '/v1/wallet')).json().policy).toEqual(expected);
    const shut = await put(owner, { url_allowlist: [], time_window: null });
    expect(shut.json()).toEqual({ version: 2, url_allowlist: [], time_window: null });
  });

  it('stores patterns in normalized form', async () => {
    const owner = await ownerWithWallet();
    const written = [
      'HTTPS://Api.Example.com:443',
      'https://bücher.example/*',
      'https://а.example/',
    ];
    const set = await put(owner, {
      url_allowlist: written.map((text) => ({ pattern: text, max_per_call: 1 })),
      time_window: null,
    });
    const kept = set.json<{ url_allowlist: { pattern: string }[] }>().url_allowlist;
    expect(kept.map((one) => one.pattern)).toEqual([
      'https://api.example.com/',
      'https://xn--bcher-kva.example/*',
      // That was a Cyrillic letter.
      'https://xn--80a.example/',
    ]);
  });

  it('keeps every version, and adds none for unchanged rules', async () => {
    const owner = await ownerWithWallet();
    const first = { url_allowlist: [ENTRY], time_window: null };
    const second = { url_allowlist: [ENTRY], time_window: OFFICE };
    for (const body of [first, first, second, second, first]) await put(owner, body);
    expect(
      (
        await put(owner, {
          url_allowlist: [{ ...ENTRY, max_per_call: '50000' }],
          time_window: null,
        })
      ).json().version,
    ).toBe(3);
    const rows = await t.db.any(sql.unsafe`
      select version, url_allowlist, time_window from wallet_policy
      join wallet using (wallet_id) where owner = ${owner.pubkey} order by version
    `);
    expect(rows).toEqual([
      { version: 1, ...first },
      { version: 2, ...second },
      { version: 3, ...first },
    ]);
  });

  it('gives concurrent changes a version each', async () => {
    const owner = await ownerWithWallet();
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((amount) =>
        put(owner, { url_allowlist: [{ ...ENTRY, max_per_call: amount }], time_window: null }),
      ),
    );
    const versions = answers.map((answer) => answer.json<{ version: number }>().version);
    expect(versions.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
  });

  it('returns 404 before there is a wallet', async () => {
    const owner = await signIn(t);
    const answers = [
      await owner.call('GET', '/v1/wallet/policy'),
      await put(owner, { url_allowlist: [], time_window: null }),
    ];
    for (const answer of answers) {
      expectRefused(answer, 404, 'wallet not found');
    }
  });

  it("is the owner's alone: an agent's key is no cookie, and other wallets stay as they are", async () => {
    const s = await openSession(t);
    expectRefused(
      await t.app.inject({
        method: 'PUT',
        url: '/v1/wallet/policy',
        headers: { authorization: `Bearer ${s.apiKey}` },
        payload: { url_allowlist: [], time_window: null },
      }),
      401,
      'invalid jwt',
    );
    const other = await ownerWithWallet();
    await put(other, { url_allowlist: [ENTRY], time_window: { ...OFFICE, days: 0 } });
    expect((await s.owner.call('GET', '/v1/wallet/policy')).json().version).toBe(0);
  });

  it('applies from the next request on', async () => {
    const s = await openSession(t);
    const request = () => s.pay(1, { prefer: 'wait=0' });
    expect((await request()).statusCode).toBe(202);
    await put(s.owner, { url_allowlist: [], time_window: { ...OFFICE, days: 0 } });
    const rest = { opens_at: null, retryable: false };
    expectRefused(await request(), 403, 'OUTSIDE_TIME_WINDOW', rest);
    await put(s.owner, { url_allowlist: [], time_window: null });
    expect((await request()).statusCode).toBe(202);
  });
});

const ACCEPTABLE = { url_allowlist: [ENTRY], time_window: OFFICE };
const entry = (fields: object) => ({
  ...ACCEPTABLE,
  url_allowlist: [ENTRY, { ...ENTRY, ...fields }],
});
const pattern = (text: unknown) => entry({ pattern: text });
const patterns = (...texts: readonly string[]) => texts.map(pattern);
const window = (fields: object) => ({ ...ACCEPTABLE, time_window: { ...OFFICE, ...fields } });
const entries = (count: number) => ({
  ...ACCEPTABLE,
  url_allowlist: Array.from({ length: count }, (_, i) => ({
    pattern: `https://a.example/${i}`,
    max_per_call: 1,
  })),
});

const AMOUNT = 'must be a positive number in base units';
/** Refused values, by field and text. */
const REFUSED: Readonly<Record<string, readonly object[]>> = {
  'url_allowlist must be an array': [
    {},
    { time_window: null },
    { url_allowlist: {}, time_window: null },
  ],
  'url_allowlist must hold at most 100 entries': [entries(101)],
  'url_allowlist[0] must be an object': [
    { url_allowlist: ['https://a.example/'], time_window: null },
  ],
  'url_allowlist[1].pattern must be a string': [pattern(1)],
  'url_allowlist[1].pattern must be an https URL': patterns('http://a.example/', 'a.example', ''),
  'url_allowlist[1].pattern must not have a wildcard in the host': patterns(
    'https://*.example/',
    'https://*/',
    'https://a.example:*/',
  ),
  'url_allowlist[1].pattern must not contain a user name': patterns('https://u:p@a.example/'),
  'url_allowlist[1].pattern must use * only as a whole': patterns(
    'https://a.example/**/x',
    'https://a.example/x*',
  ),
  'url_allowlist[1].pattern must not contain a query': patterns('https://a.example/?q=*'),
  'url_allowlist[1].pattern must not contain dot segments': patterns(
    'https://a.example/../x',
    'https://a.example/%2e/x',
  ),
  'url_allowlist[1].pattern must not contain an encoded slash': patterns('https://a.example/a%2fb'),
  'url_allowlist[1].pattern must not contain a backslash': patterns('https://a.example\\x'),
  'url_allowlist[1].pattern must not be longer': patterns(`https://a.example/${'x'.repeat(2_048)}`),
  'url_allowlist[1].pattern must not be listed twice': patterns(
    ENTRY.pattern,
    'HTTPS://API.example.com:443/v1/**',
  ),
  [`url_allowlist[1].max_per_call ${AMOUNT}`]: [0, 1.5, undefined].map((max_per_call) =>
    entry({ max_per_call }),
  ),
  'time_window must be null or an object': [
    { url_allowlist: [] },
    { ...ACCEPTABLE, time_window: 'always' },
  ],
  'time_window.start_min must be an integer from 0 to 1439': [window({ start_min: -1 })],
  'time_window.end_min must be an integer from 0 to 1439': [1440, '9'].map((end_min) =>
    window({ end_min }),
  ),
  'time_window.days must be an integer from 0 to 127': [128, 1.5].map((days) => window({ days })),
  'time_window.timezone must be a string': [window({ timezone: 7 })],
  'time_window.timezone must be an IANA name': ['Mars/Olympus', '+03:00', ''].map((timezone) =>
    window({ timezone }),
  ),
};

describe('PUT /v1/wallet/policy refuses with 400 and names the field', () => {
  it.each(Object.entries(REFUSED))('%s', async (text, bodies) => {
    const start = new RegExp(`^${text.replaceAll(/[[\].*]/g, String.raw`\$&`)}`);
    const rest = { code: 'BAD_REQUEST', layer: 'off-chain', retryable: false };
    const owner = await ownerWithWallet();
    for (const body of bodies) expectRefused(await put(owner, body), 400, start, rest);
    expect((await owner.call('GET', '/v1/wallet/policy')).json().version).toBe(0);
  });

  it('and accepts 100 entries', async () => {
    const owner = await ownerWithWallet();
    expect((await put(owner, entries(100))).statusCode).toBe(200);
  });
});
