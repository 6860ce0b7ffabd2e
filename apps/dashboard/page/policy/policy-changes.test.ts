import { expect, it } from 'vitest';
import { policyChanges } from './policy-changes.ts';

const WORK = { start_min: 540, end_min: 1_019, days: 0b11111, timezone: 'Europe/Berlin' };
const rules = (urls: Readonly<Record<string, bigint>>, time_window: typeof WORK | null = null) => ({
  url_allowlist: Object.entries(urls).map(([pattern, max_per_call]) => ({ pattern, max_per_call })),
  time_window,
});

it('names every entry that is added, removed or changed, and whether it allows more', () => {
  const before = rules({
    'https://a/': 10n,
    'https://b/': 20n,
    'https://c/': 30n,
    'https://d/': 1n,
  });
  const after = rules({ 'https://d/': 1n, 'https://e/': 5n, 'https://a/': 11n, 'https://b/': 19n });
  expect(policyChanges(before, after)).toEqual([
    { effect: 'allows_more', text: 'Allow https://e/ for up to 0.000005 USDC a call' },
    { effect: 'allows_more', text: 'Change https://a/ from 0.00001 to 0.000011 USDC a call' },
    { effect: 'allows_less', text: 'Change https://b/ from 0.00002 to 0.000019 USDC a call' },
    { effect: 'allows_less', text: 'Remove https://c/' },
  ]);
  expect(policyChanges(before, before)).toEqual([]);
});

it('names a change of the hours', () => {
  const [open, shut] = [rules({}), rules({}, WORK)];
  expect(policyChanges(open, shut)).toEqual([
    { effect: 'allows_less', text: 'Allow spending only Mon–Fri 09:00–17:00 (Europe/Berlin)' },
  ]);
  expect(policyChanges(shut, open)[0]?.effect).toBe('allows_more');
  expect(policyChanges(shut, rules({}, { ...WORK, timezone: 'UTC' }))).toEqual([
    {
      effect: 'differs',
      text: 'Allow spending Mon–Fri 09:00–17:00 (UTC) instead of Mon–Fri 09:00–17:00 (Europe/Berlin)',
    },
  ]);
});

it.each([
  [{ ...WORK, days: 0b1011001, end_min: 1_439 }, 'Mon, Thu–Fri, Sun 09:00–24:00 (Europe/Berlin)'],
  [{ ...WORK, end_min: 59 }, 'Mon–Fri 09:00–01:00 of the next day (Europe/Berlin)'],
  [{ ...WORK, days: 0 }, 'on no day, 09:00–17:00 (Europe/Berlin)'],
])('writes hours as people do: %#', (window, text) => {
  expect(policyChanges(rules({}), rules({}, window)).map((change) => change.text)).toEqual([
    `Allow spending only ${text}`,
  ]);
});
