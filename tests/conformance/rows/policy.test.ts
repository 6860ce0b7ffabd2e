import { Keypair } from '@solana/web3.js';
import { expect } from 'vitest';
import { signIn } from '../../support/http/http-owner.ts';
import { countHistory } from '../chain-history.ts';
import { isSummerTime, wallClock, withinOneMinute, zoneAtNoon } from '../clocks.ts';
import { row } from '../row.ts';
import { type Agent, agentWith, asOwner, newSpender, refused, world } from '../world.ts';

const ALL_DAYS = 127;
const PAID = 'https://api.example.com/paid';

/** The vault is empty: a spend that the rules permit ends at the balance. */
const { owner, agent, recipient } = await newSpender(0n);

const put = (body: object) => owner.call('PUT', '/v1/wallet/policy', body);
const setWindow = (window: object | null) => put({ url_allowlist: [], time_window: window });
const allow = (...patterns: readonly unknown[]) =>
  put({
    url_allowlist: patterns.map((pattern) => ({ pattern, max_per_call: 1_000 })),
    time_window: null,
  });

const signPayment = (url: unknown, amount: unknown = 1, who: Pick<Agent, 'call'> = agent) =>
  who.call('POST', '/v1/spend/sign-payment', { url, recipient, amount });

/** Whether the rules let a payment for this URL through. */
async function isAllowed(url: string): Promise<boolean> {
  const { status, body } = await signPayment(url);
  expect([402, 403]).toContain(status);
  expect(['INSUFFICIENT_LIQUID', 'URL_NOT_ALLOWED']).toContain(body['error']);
  return status === 402;
}

/** Sets a window and returns whether it lets a transfer through. */
async function isOpenWith(window: object): Promise<boolean> {
  expect((await setWindow(window)).status).toBe(200);
  const { status, body } = await agent.pay(1);
  expect(['INSUFFICIENT_LIQUID', 'OUTSIDE_TIME_WINDOW']).toContain(body['error']);
  return status === 402;
}

row('policy.url.entry', async () => {
  const entries = [{ pattern: 'https://api.example.com/v1/**', max_per_call: 50_000 }];
  const { body } = await put({ url_allowlist: entries, time_window: null });
  expect(body['url_allowlist']).toEqual(entries);
  const wrong = [{ pattern: 1, max_per_call: 1 }, { pattern: 'https://a.example/' }, 'https://a/'];
  for (const entry of wrong) {
    const answer = await put({ url_allowlist: [entry], time_window: null });
    expect(answer).toMatchObject(refused(400, /^url_allowlist\[0\]/));
  }
});

row(
  [
    'limits.url-wildcard',
    'policy.url.host-wildcard',
    'policy.url.https',
    'policy.url.wildcard-segments',
  ],
  async () => {
    const paths = ['/a*', '/*a', '/a*b/c'].map((path) => `api.example.com${path}`);
    const hosts = ['*', '*.example.com', 'api.*.com', 'api.example.*', 'api*.example.com'];
    for (const [pattern, text] of [
      ...['http://api.example.com/', 'ftp://api.example.com/', 'api.example.com'].map(
        (url) => [url, 'must be'] as const,
      ),
      ...[...paths, ...hosts].map((rest) => [`https://${rest}/v1`, 'must '] as const),
    ]) {
      const expected = refused(400, new RegExp(`^url_allowlist\\[0\\]\\.pattern ${text}`));
      expect([pattern, await allow(pattern)]).toMatchObject([pattern, expected]);
    }
    for (const path of ['/', '/*/**', '/*/weather']) {
      expect((await allow(`https://api.example.com${path}`)).status).toBe(200);
    }
    expect(await isAllowed('https://api.example.com/berlin/weather')).toBe(true);
    expect(await isAllowed('https://api.example.com/berlin/today/weather')).toBe(false);
  },
);

row(
  [
    'open.policy.hostile-spellings',
    'open.policy.matching',
    'policy.url.host-literal',
    'rules.2.url-listed',
  ],
  async () => {
    await allow('https://api.example.com/a/*', 'https://api.example.com/b/**', PAID);
    const allowed = [PAID, 'https://api.example.com/a/one', 'https://api.example.com/a/one?q=2'];
    const hosts = [
      'example.com',
      'x.api.example.com',
      'apiexample.com',
      'api.example.com.evil.example',
      'user@api.example.com',
      'api.example.com@evil.example',
      String.raw`api.example.com\@evil.example`,
    ].map((host) => `https://${host}/b/c`);
    const paths = ['/other', '/a', '/a/one/two', ':8443/a/one'].map(
      (path) => `https://api.example.com${path}`,
    );
    const spellings = [String.raw`/b/a\..\b`, '/b/../b/c', '/b/%2e%2e/b', '/b%2fb', '/b/b%5cc'].map(
      (path) => `https://api.example.com${path}`,
    );
    for (const url of [...allowed, 'https://api.example.com/b/one/two/three']) {
      expect([url, await isAllowed(url)]).toEqual([url, true]);
    }
    for (const url of [...hosts, ...paths, ...spellings]) {
      expect([url, await isAllowed(url)]).toEqual([url, false]);
    }
  },
);

row('open.policy.max_per_call', async () => {
  await allow('https://api.example.com/**');
  expect((await signPayment('https://api.example.com/', 1_000)).status).toBe(402);
  const above = await signPayment('https://api.example.com/', 1_001);
  expect(above).toMatchObject(refused(403, 'URL_NOT_ALLOWED', { max_per_call: 1_000 }));
});

row('open.policy.nothing-set', async () => {
  const fresh = await newSpender(0n);
  const payment = await signPayment('https://api.example.com/', 1, fresh.agent);
  expect(payment).toMatchObject(refused(403, 'URL_NOT_ALLOWED'));
  expect(await fresh.agent.pay(1)).toMatchObject(refused(402, 'INSUFFICIENT_LIQUID'));
});

row('open.policy.get', async () => {
  const window = { start_min: 60, end_min: 120, days: 31, timezone: 'Europe/Berlin' };
  const entries = [{ pattern: 'https://api.example.com/', max_per_call: 7 }];
  const rules = { url_allowlist: entries, time_window: window };
  await put(rules);
  const { status, body } = await owner.call('GET', '/v1/wallet/policy');
  expect([status, body]).toEqual([200, { version: expect.any(Number), ...rules }]);
  expect((await owner.call('GET', '/v1/wallet')).body['policy']).toMatchObject(rules);
  const cookie = await signIn(world, Keypair.generate());
  expect((await asOwner({ cookie }, 'GET', '/v1/wallet/policy')).status).toBe(404);
});

row('open.policy.put', async () => {
  const { version } = (await allow('https://one.example/')).body;
  const next = (await allow('https://two.example/')).body;
  expect(next['version']).toBe(Number(version) + 1);
  expect(next['url_allowlist']).toMatchObject([{ pattern: 'https://two.example/' }]);
  // A body without one of the two must not remove its restriction.
  for (const body of [{ url_allowlist: [] }, { time_window: null }, {}]) {
    expect((await put(body)).status).toBe(400);
  }
});

row(['policy.window.end_min', 'policy.window.start_min'], () =>
  withinOneMinute(async () => {
    const timezone = zoneAtNoon();
    const { minute } = wallClock(timezone);
    for (const [start, end, isOpen] of [
      [-1, 5, true],
      [0, 5, true],
      [1, 5, false],
      [-5, 1, true],
      [-5, 0, true],
      [-5, -1, false],
    ] as const) {
      const window = { start_min: minute + start, end_min: minute + end };
      expect([window, await isOpenWith({ ...window, days: ALL_DAYS, timezone })]).toEqual([
        window,
        isOpen,
      ]);
    }
  }),
);

row('policy.window.days', async () => {
  const timezone = zoneAtNoon();
  const { dayBit } = wallClock(timezone);
  const allDay = { start_min: 0, end_min: 1_439, timezone };
  expect(await isOpenWith({ ...allDay, days: dayBit })).toBe(true);
  expect(await isOpenWith({ ...allDay, days: ALL_DAYS - dayBit })).toBe(false);
  for (const days of [-1, 128, 0.5]) {
    const answer = await setWindow({ ...allDay, days });
    expect(answer).toMatchObject(refused(400, /^time_window\.days /));
  }
});

/** Whether a transfer passes when the window is this one minute of a zone's day. */
const isOpenAt = (minute: number, timezone: string) => {
  const start_min = (minute + 1_440) % 1_440;
  return isOpenWith({ start_min, end_min: start_min, days: ALL_DAYS, timezone });
};

row('policy.window.timezone', () =>
  withinOneMinute(async () => {
    const { minute } = wallClock('Asia/Tokyo');
    const zones = ['Asia/Tokyo', 'Asia/Kolkata', 'UTC'];
    const open = [];
    for (const zone of zones) open.push(await isOpenAt(minute, zone));
    expect(open).toEqual([true, false, false]);
  }),
);

row('policy.window.daylight-saving', () =>
  withinOneMinute(async () => {
    const zones = ['Europe/Berlin', 'Australia/Sydney'];
    // One of them is on summer time in every season.
    expect(zones.some(isSummerTime)).toBe(true);
    for (const zone of zones) {
      const { minute } = wallClock(zone);
      const open = [];
      for (const shift of [-60, 0, 60]) open.push(await isOpenAt(minute + shift, zone));
      expect(open).toEqual([false, true, false]);
    }
  }),
);

row('open.policy.timezone', async () => {
  for (const timezone of ['Mars/Olympus', 'CEST', '+02:00', '']) {
    const answer = await setWindow({ start_min: 0, end_min: 1, days: 1, timezone });
    expect(answer).toMatchObject(refused(400, /^time_window\.timezone /));
  }
});

row('open.policy.across-midnight', async () => {
  const timezone = zoneAtNoon();
  const { minute, dayBit } = wallClock(timezone);
  const yesterdayBit = dayBit === 1 ? 64 : dayBit / 2;
  // From this evening until tomorrow noon: now belongs to the window that began yesterday.
  const window = { start_min: minute + 300, end_min: minute + 120, timezone };
  expect(await isOpenWith({ ...window, days: yesterdayBit })).toBe(true);
  expect(await isOpenWith({ ...window, days: dayBit })).toBe(false);
});

const never = { start_min: 0, end_min: 0, days: 0, timezone: 'UTC' };

row(
  [
    'deny.OUTSIDE_TIME_WINDOW',
    'errors.403.outside-time-window',
    'limits.time-window',
    'rules.6.2-time-window',
    'service.layers.off-chain-first',
  ],
  async () => {
    await setWindow(never);
    const before = await countHistory(agent.sessionPda);
    const invalid = await agentWith(`${agent.apiKey}x`, recipient).pay(1);
    expect(invalid.status).toBe(401);
    // The window comes before the URL, the slug, the balance and max_per_tx, which all fail too.
    const answers = await Promise.all([
      agent.pay(9_000_000),
      signPayment('https://nowhere.example/'),
      agent.call('POST', '/v1/spend/service', { slug: 'nothing', max_amount: 1 }),
    ]);
    for (const answer of answers) {
      expect(answer).toMatchObject(refused(403, 'OUTSIDE_TIME_WINDOW', { layer: 'off-chain' }));
    }
    await agent.pay(4_711);
    expect(await owner.audit(`session_id=${agent.sessionId}&limit=1`)).toMatchObject([
      { decision: 'deny', reason: 'OUTSIDE_TIME_WINDOW', amount: '4711' },
    ]);
    expect(await countHistory(agent.sessionPda)).toBe(before);
    await setWindow(null);
    const open = await signPayment('https://nowhere.example/');
    expect(open.body['error']).toBe('URL_NOT_ALLOWED');
  },
);

row('open.opens_at', async () => {
  const timezone = zoneAtNoon();
  const { minute } = wallClock(timezone);
  // Closed now, open in about two hours.
  const later = { start_min: minute + 120, end_min: minute + 180, days: ALL_DAYS, timezone };
  await setWindow(later);
  const inMinutes = (Number((await agent.pay(1)).body['opens_at']) - Date.now() / 1_000) / 60;
  expect(inMinutes).toBeGreaterThan(118);
  expect(inMinutes).toBeLessThanOrEqual(120);
  await setWindow(never);
  expect((await agent.pay(1)).body).toMatchObject({ opens_at: null, retryable: false });
});

row('auth.agent.no-bypass-of-window', async () => {
  await setWindow(never);
  const policy = { url_allowlist: [], time_window: null };
  const opened = await agent.call('PUT', '/v1/wallet/policy', policy);
  expect(opened).toMatchObject(refused(401, 'invalid jwt'));
  expect((await agent.pay(1, policy)).status).toBe(403);
});

row(['deny.URL_NOT_ALLOWED', 'errors.403.url-not-allowed', 'rules.6.3-url'], async () => {
  await allow(PAID);
  // The URL comes before the balance, which is empty.
  const denied = await signPayment('https://other.example/path', 4_712);
  expect(denied).toMatchObject(refused(403, 'URL_NOT_ALLOWED', { layer: 'off-chain' }));
  expect((await signPayment(PAID)).body['error']).toBe('INSUFFICIENT_LIQUID');
  expect((await owner.audit(`session_id=${agent.sessionId}&limit=2`))[1]).toMatchObject({
    decision: 'deny',
    reason: 'URL_NOT_ALLOWED',
    action: 'sign_payment',
    amount: '4712',
    recipient_or_url: 'https://other.example/path',
  });
});

row('open.sign-payment.url', async () => {
  await allow(PAID);
  for (const url of ['http://api.example.com/paid', 'api.example.com/paid', 'nonsense', '7']) {
    expect(await signPayment(url)).toMatchObject(refused(400, /^url must be an https URL/));
  }
  expect((await signPayment('https://api.example.com/')).status).toBe(403);
});
