import { expect, it } from 'vitest';
import { openSession } from '../fixtures/open-session.ts';
import { signIn } from '../fixtures/signed-in-owner.ts';
import { expectRefused, startTestApp } from '../fixtures/test-app.ts';

it('tells agents and owners what is left of their quota, also when nothing is', async () => {
  await using t = await startTestApp({ ratePerSecond: 2, rateBurst: 8 });
  const s = await openSession(t);
  const owner = await signIn(t);
  const callers = [
    ['session', () => s.call('/v1/spends')],
    ['owner', () => owner.call('GET', '/v1/session')],
  ] as const;
  for (const [policy, call] of callers) {
    for (let left = 7; left >= 0; left -= 1) {
      const { statusCode, headers } = await call();
      expect(statusCode).toBe(200);
      expect(headers).toMatchObject({
        'ratelimit-policy': `"${policy}";q=8;w=4`,
        ratelimit: `"${policy}";r=${left};t=1`,
      });
    }
    const refused = await call();
    expectRefused(refused, 429, 'rate limited');
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'ratelimit-policy': `"${policy}";q=8;w=4`,
      ratelimit: `"${policy}";r=0;t=1`,
    });
  }
});

it('tells a caller who is not authenticated nothing of a quota', async () => {
  await using t = await startTestApp();
  for (const url of ['/v1/spends', '/v1/config', '/v1/nothing']) {
    const { headers } = await t.app.inject(url);
    expect(Object.keys(headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
  }
});
