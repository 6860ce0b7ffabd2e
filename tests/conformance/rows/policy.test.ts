import { beforeAll, expect } from 'vitest';
import { type HttpOwner, type HttpSession, signIn } from '../../support/http/http-owner.ts';
import { Keypair } from '@solana/web3.js';
import { isSummerTime, wallClock, withinOneMinute, zoneAtNoon } from '../clocks.ts';
import { countHistory } from '../chain-history.ts';
import { row } from '../row.ts';
import {
  asOwner,
  auditOf,
  bearer,
  call,
  newOwner,
  newRecipient,
  transfer,
  world,
} from '../world.ts';

const ALL_DAYS = 127;

/** Without money: what the rules let through ends at the balance. */
let owner: HttpOwner;
let session: HttpSession;
let recipient: string;
beforeAll(async () => {
  [owner, recipient] = await Promise.all([newOwner(0n), newRecipient()]);
  session = await owner.createSession({ recipients: [recipient] });
});

const put = (body: object) => asOwner(owner, 'PUT', '/v1/wallet/policy', body);
const setWindow = (window: object | null) => put({ url_allowlist: [], time_window: window });
const allow = (...patterns: readonly string[]) =>
  put({
    url_allowlist: patterns.map((pattern) => ({ pattern, max_per_call: 1_000 })),
    time_window: null,
  });

const signPayment = (url: string, amount: unknown = 1) =>
  call('POST', '/v1/spend/sign-payment', {
    headers: bearer(session.apiKey),
    body: { url, recipient, amount },
  });

/** Whether the rules let a payment for this URL through. */
async function isAllowed(url: string): Promise<boolean> {
  const { status, body } = await signPayment(url);
  expect([402, 403]).toContain(status);
  expect(['INSUFFICIENT_LIQUID', 'URL_NOT_ALLOWED']).toContain(body['error']);
  return status === 402;
}

/** Whether the window that is set lets a transfer through. */
async function isOpen(): Promise<boolean> {
  const { status, body } = await transfer(session.apiKey, { recipient, amount: 1 });
  expect(['INSUFFICIENT_LIQUID', 'OUTSIDE_TIME_WINDOW']).toContain(body['error']);
  return status === 402;
}

const isOpenWith = async (window: object): Promise<boolean> => {
  expect((await setWindow(window)).status).toBe(200);
  return isOpen();
};

row('policy.url.entry', async () => {
  const entries = [{ pattern: 'https://api.example.com/v1/**', max_per_call: 50_000 }];
  const { body } = await put({ url_allowlist: entries, time_window: null });
  expect(body['url_allowlist']).toEqual(entries);
  const wrong = [{ pattern: 1, max_per_call: 1 }, { pattern: 'https://a.example/' }, 'https://a/'];
  for (const entry of wrong) {
    const answer = await put({ url_allowlist: [entry], time_window: null });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^url_allowlist\[0\]/) },
    });
  }
});

row('policy.url.https', async () => {
  for (const pattern of ['http://api.example.com/', 'ftp://api.example.com/', 'api.example.com']) {
    expect(await allow(pattern)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^url_allowlist\[0\]\.pattern must be/) },
    });
  }
  expect((await allow('https://api.example.com/')).status).toBe(200);
});

row('policy.url.wildcard-segments', async () => {
  expect((await allow('https://api.example.com/*/weather')).status).toBe(200);
  expect(await isAllowed('https://api.example.com/berlin/weather')).toBe(true);
  expect(await isAllowed('https://api.example.com/berlin/today/weather')).toBe(false);
  for (const path of ['/a*', '/*a', '/a*b/c']) {
    expect((await allow(`https://api.example.com${path}`)).status).toBe(400);
  }
});

row('policy.url.host-wildcard', async () => {
  for (const host of ['*', '*.example.com', 'api.*.com', 'api.example.*', 'api*.example.com']) {
    expect(await allow(`https://${host}/v1`)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^url_allowlist\[0\]\.pattern /) },
    });
  }
});

row('policy.url.host-literal', async () => {
  await allow('https://api.example.com/**');
  expect(await isAllowed('https://api.example.com/v1')).toBe(true);
  const others = [
    'example.com',
    'x.api.example.com',
    'api.example.com.evil.example',
    'apiexample.com',
  ];
  for (const host of others) expect(await isAllowed(`https://${host}/v1`)).toBe(false);
});

row('limits.url-wildcard', async () => {
  expect((await allow('https://api.example.com/*/**')).status).toBe(200);
  expect((await allow('https://*.example.com/a')).status).toBe(400);
});

row('open.policy.matching', async () => {
  await allow('https://api.example.com/a/*', 'https://api.example.com/b/**');
  expect(await isAllowed('https://api.example.com/a/one')).toBe(true);
  expect(await isAllowed('https://api.example.com/a/one?q=2')).toBe(true);
  expect(await isAllowed('https://api.example.com/a')).toBe(false);
  expect(await isAllowed('https://api.example.com/a/one/two')).toBe(false);
  expect(await isAllowed('https://api.example.com/b/one/two/three')).toBe(true);
  expect(await isAllowed('https://api.example.com:8443/a/one')).toBe(false);
});

row('open.policy.hostile-spellings', async () => {
  await allow('https://api.example.com/a/**');
  expect(await isAllowed('https://api.example.com/a/b')).toBe(true);
  const spellings = [
    'https://user@api.example.com/a/b',
    'https://api.example.com@evil.example/a/b',
    String.raw`https://api.example.com\@evil.example/a/b`,
    String.raw`https://api.example.com/a\..\b`,
    'https://api.example.com/a/../b',
    'https://api.example.com/a/%2e%2e/b',
    'https://api.example.com/a%2fb',
    'https://api.example.com/a/b%5cc',
  ];
  for (const url of spellings) expect([url, await isAllowed(url)]).toEqual([url, false]);
});

row('open.policy.max_per_call', async () => {
  await allow('https://api.example.com/**');
  expect((await signPayment('https://api.example.com/', 1_000)).status).toBe(402);
  expect(await signPayment('https://api.example.com/', 1_001)).toMatchObject({
    status: 403,
    body: { error: 'URL_NOT_ALLOWED', max_per_call: 1_000 },
  });
});

row('open.policy.nothing-set', async () => {
  const fresh = await newOwner(0n);
  const one = await fresh.createSession({ recipients: [recipient] });
  const payment = await call('POST', '/v1/spend/sign-payment', {
    headers: bearer(one.apiKey),
    body: { url: 'https://api.example.com/', recipient, amount: 1 },
  });
  expect(payment).toMatchObject({ status: 403, body: { error: 'URL_NOT_ALLOWED' } });
  const spent = await transfer(one.apiKey, { recipient, amount: 1 });
  expect(spent).toMatchObject({ status: 402, body: { error: 'INSUFFICIENT_LIQUID' } });
});

row('open.policy.get', async () => {
  const window = { start_min: 60, end_min: 120, days: 31, timezone: 'Europe/Berlin' };
  const entries = [{ pattern: 'https://api.example.com/', max_per_call: 7 }];
  await put({ url_allowlist: entries, time_window: window });
  const { status, body } = await asOwner(owner, 'GET', '/v1/wallet/policy');
  expect(status).toBe(200);
  expect(body).toEqual({
    version: expect.any(Number),
    url_allowlist: entries,
    time_window: window,
  });
  expect((await asOwner(owner, 'GET', '/v1/wallet')).body['policy']).toMatchObject({
    url_allowlist: entries,
    time_window: window,
  });
  const cookie = await signIn(world, Keypair.generate());
  expect((await asOwner({ cookie }, 'GET', '/v1/wallet/policy')).status).toBe(404);
});

row('open.policy.put', async () => {
  const { version } = (await allow('https://one.example/')).body;
  const next = (await allow('https://two.example/')).body;
  expect(next['version']).toBe(Number(version) + 1);
  expect(next['url_allowlist']).toMatchObject([{ pattern: 'https://two.example/' }]);
  // Leaving one of the two out must not open what was shut.
  for (const body of [{ url_allowlist: [] }, { time_window: null }, {}]) {
    expect((await put(body)).status).toBe(400);
  }
});

row('policy.window.start_min', () =>
  withinOneMinute(async () => {
    const timezone = zoneAtNoon();
    const { minute } = wallClock(timezone);
    const from = (start_min: number) =>
      isOpenWith({ start_min, end_min: minute + 5, days: ALL_DAYS, timezone });
    expect([await from(minute - 1), await from(minute), await from(minute + 1)]).toEqual([
      true,
      true,
      false,
    ]);
  }),
);

row('policy.window.end_min', () =>
  withinOneMinute(async () => {
    const timezone = zoneAtNoon();
    const { minute } = wallClock(timezone);
    const until = (end_min: number) =>
      isOpenWith({ start_min: minute - 5, end_min, days: ALL_DAYS, timezone });
    expect([await until(minute + 1), await until(minute), await until(minute - 1)]).toEqual([
      true,
      true,
      false,
    ]);
  }),
);

row('policy.window.days', async () => {
  const timezone = zoneAtNoon();
  const { dayBit } = wallClock(timezone);
  const on = (days: number) => isOpenWith({ start_min: 0, end_min: 1_439, days, timezone });
  expect(await on(dayBit)).toBe(true);
  expect(await on(ALL_DAYS - dayBit)).toBe(false);
  for (const days of [-1, 128, 0.5]) {
    const answer = await setWindow({ start_min: 0, end_min: 1_439, days, timezone });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^time_window\.days /) },
    });
  }
});

row('policy.window.timezone', () =>
  withinOneMinute(async () => {
    const { minute } = wallClock('Asia/Tokyo');
    const at = (timezone: string) =>
      isOpenWith({ start_min: minute, end_min: minute, days: ALL_DAYS, timezone });
    expect([await at('Asia/Tokyo'), await at('Asia/Kolkata'), await at('UTC')]).toEqual([
      true,
      false,
      false,
    ]);
  }),
);

row('policy.window.daylight-saving', () =>
  withinOneMinute(async () => {
    const zones = ['Europe/Berlin', 'Australia/Sydney'];
    // One of them has its clock put forward, whatever the season.
    expect(zones.some(isSummerTime)).toBe(true);
    for (const timezone of zones) {
      const { minute } = wallClock(timezone);
      const at = (start: number) => {
        const start_min = (start + 1_440) % 1_440;
        return isOpenWith({ start_min, end_min: start_min, days: ALL_DAYS, timezone });
      };
      expect([await at(minute - 60), await at(minute), await at(minute + 60)]).toEqual([
        false,
        true,
        false,
      ]);
    }
  }),
);

row('open.policy.timezone', async () => {
  for (const timezone of ['Mars/Olympus', 'CEST', '+02:00', '']) {
    const answer = await setWindow({ start_min: 0, end_min: 1, days: 1, timezone });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^time_window\.timezone /) },
    });
  }
});

row('open.policy.across-midnight', async () => {
  const timezone = zoneAtNoon();
  const { minute, dayBit } = wallClock(timezone);
  const yesterdayBit = dayBit === 1 ? 64 : dayBit / 2;
  // From this evening until tomorrow noon: now is the part that began yesterday.
  const window = { start_min: minute + 300, end_min: minute + 120, timezone };
  expect(await isOpenWith({ ...window, days: yesterdayBit })).toBe(true);
  expect(await isOpenWith({ ...window, days: dayBit })).toBe(false);
});

const shut = { start_min: 0, end_min: 0, days: 0, timezone: 'UTC' };

/** Shut now, open in about two hours. */
const shutForNow = () => {
  const timezone = zoneAtNoon();
  const { minute } = wallClock(timezone);
  return { start_min: minute + 120, end_min: minute + 180, days: ALL_DAYS, timezone };
};

row('limits.time-window', async () => {
  await setWindow(shut);
  const asked = await Promise.all([
    transfer(session.apiKey, { recipient, amount: 1 }),
    signPayment('https://api.example.com/'),
    call('POST', '/v1/spend/service', {
      headers: bearer(session.apiKey),
      body: { slug: 'nothing', max_amount: 1 },
    }),
  ]);
  expect(asked.map(({ status, body }) => [status, body['error']])).toEqual(
    Array.from({ length: 3 }, () => [403, 'OUTSIDE_TIME_WINDOW']),
  );
});

row('errors.403.outside-time-window', async () => {
  await setWindow(shut);
  expect(await transfer(session.apiKey, { recipient, amount: 1 })).toMatchObject({
    status: 403,
    body: { error: 'OUTSIDE_TIME_WINDOW', layer: 'off-chain' },
  });
});

row('open.opens_at', async () => {
  await setWindow(shutForNow());
  const { body } = await transfer(session.apiKey, { recipient, amount: 1 });
  const inMinutes = (Number(body['opens_at']) - Date.now() / 1_000) / 60;
  expect(inMinutes).toBeGreaterThan(118);
  expect(inMinutes).toBeLessThanOrEqual(120);
  await setWindow(shut);
  const never = await transfer(session.apiKey, { recipient, amount: 1 });
  expect(never.body).toMatchObject({ opens_at: null, retryable: false });
});

row('deny.OUTSIDE_TIME_WINDOW', async () => {
  await setWindow(shut);
  await transfer(session.apiKey, { recipient, amount: 4_711 });
  expect(await auditOf(owner, 'limit=1')).toMatchObject([
    { decision: 'deny', reason: 'OUTSIDE_TIME_WINDOW', amount: '4711' },
  ]);
});

row('rules.6.2-time-window', async () => {
  await setWindow(shut);
  const invalid = await transfer(`${session.apiKey}x`, { recipient, amount: 1 });
  expect(invalid.status).toBe(401);
  // Neither the URL nor the balance is looked at: both would be refused too.
  const closed = await signPayment('https://nowhere.example/');
  expect(closed.body['error']).toBe('OUTSIDE_TIME_WINDOW');
  await setWindow(null);
  const open = await signPayment('https://nowhere.example/');
  expect(open.body['error']).toBe('URL_NOT_ALLOWED');
});

row('auth.agent.no-bypass-of-window', async () => {
  await setWindow(shut);
  const policy = { url_allowlist: [], time_window: null };
  const headers = bearer(session.apiKey);
  const opened = await call('PUT', '/v1/wallet/policy', { headers, body: policy });
  expect(opened).toMatchObject({ status: 401, body: { error: 'invalid jwt' } });
  const smuggled = { recipient, amount: 1, ...policy };
  expect((await transfer(session.apiKey, smuggled)).status).toBe(403);
});

row('service.layers.off-chain-first', async () => {
  await setWindow(shut);
  const before = await countHistory(session.sessionPda);
  // Above max_per_tx as well, which only the chain would have told.
  const { status, body } = await transfer(session.apiKey, { recipient, amount: 9_000_000 });
  expect([status, body['layer']]).toEqual([403, 'off-chain']);
  expect(await countHistory(session.sessionPda)).toBe(before);
});

row('errors.403.url-not-allowed', async () => {
  await allow('https://api.example.com/');
  expect(await signPayment('https://other.example/')).toMatchObject({
    status: 403,
    body: { error: 'URL_NOT_ALLOWED', layer: 'off-chain' },
  });
});

row('deny.URL_NOT_ALLOWED', async () => {
  await allow('https://api.example.com/');
  await signPayment('https://other.example/path', 4_712);
  expect(await auditOf(owner, 'limit=1')).toMatchObject([
    {
      decision: 'deny',
      reason: 'URL_NOT_ALLOWED',
      action: 'sign_payment',
      amount: '4712',
      recipient_or_url: 'https://other.example/path',
    },
  ]);
});

row('rules.2.url-listed', async () => {
  await allow('https://api.example.com/paid');
  expect(await isAllowed('https://api.example.com/paid')).toBe(true);
  expect(await isAllowed('https://api.example.com/other')).toBe(false);
});

row('rules.6.3-url', async () => {
  await allow('https://api.example.com/paid');
  // Before the balance, which is empty.
  expect((await signPayment('https://api.example.com/no')).body['error']).toBe('URL_NOT_ALLOWED');
  expect((await signPayment('https://api.example.com/paid')).body['error']).toBe(
    'INSUFFICIENT_LIQUID',
  );
});

row('open.sign-payment.url', async () => {
  await allow('https://api.example.com/paid');
  for (const url of ['http://api.example.com/paid', 'api.example.com/paid', 'nonsense', 7]) {
    expect(await signPayment(String(url))).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^url must be an https URL/) },
    });
  }
  expect((await signPayment('https://api.example.com/')).status).toBe(403);
});
