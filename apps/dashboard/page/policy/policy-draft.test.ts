import { describe, expect, it } from 'vitest';

import { draftOf, faultsOf, MAX_ENTRIES, type PolicyDraft, requestOf } from './policy-draft.ts';

const entry = (pattern: string, maxPerCall = '0.05', id = 0) => ({ id, pattern, maxPerCall });
const draft = (change: Partial<PolicyDraft> = {}): PolicyDraft => ({
  entries: [entry('https://api.example.com/v1/**')],
  hours: null,
  ...change,
});

describe('the draft of a policy', () => {
  it('shows the rules in force, and saves them unchanged', () => {
    const rules = {
      url_allowlist: [
        { pattern: 'https://a.example/**', max_per_call: 50_000n },
        { pattern: 'https://b.example/*', max_per_call: 2n ** 64n - 1n },
      ],
      time_window: { start_min: 0, end_min: 1_439, days: 0b1010101, timezone: 'Asia/Kathmandu' },
    };
    expect(requestOf(draftOf(rules))).toEqual(rules);
    const open = { url_allowlist: [], time_window: null };
    expect(requestOf(draftOf(open))).toEqual(open);
  });

  it('saves a pattern in its one spelling', () => {
    const typed = draft({ entries: [entry(' https://Bücher.Example:443/a/* ', ' 1 ')] });
    expect(requestOf(typed)?.url_allowlist).toEqual([
      { pattern: 'https://xn--bcher-kva.example/a/*', max_per_call: 1_000_000n },
    ]);
  });

  it.each([
    ['http', 'http://a.example/', 'The pattern must be an https URL.'],
    ['a wildcard host', 'https://*.example/', 'The pattern must not have a wildcard in the host.'],
    ['nothing', '', 'The pattern must be an https URL.'],
  ])('says what is wrong with %s', (_case, pattern, fault) => {
    expect(faultsOf([entry(pattern)])[0]).toEqual({ pattern: fault, maxPerCall: null });
    expect(requestOf(draft({ entries: [entry(pattern)] }))).toBeNull();
  });

  it.each(['', '0', '-1', '1e3', '0.0000001', 'x', '99999999999999999999'])(
    'takes %j for no limit per call',
    (text) => {
      const typed = [entry('https://a.example/', text)];
      expect(faultsOf(typed)[0]?.maxPerCall).not.toBeNull();
      expect(requestOf(draft({ entries: typed }))).toBeNull();
    },
  );

  it('refuses a pattern that is listed twice, in whatever spelling', () => {
    const typed = [entry('https://a.example/x'), entry('https://A.example:443/x', '1', 1)];
    expect(faultsOf(typed).map(({ pattern }) => pattern)).toEqual([
      null,
      'The same pattern is listed above.',
    ]);
    expect(requestOf(draft({ entries: typed }))).toBeNull();
  });

  it('refuses more entries than the API takes, and hours that cannot be read', () => {
    const many = Array.from({ length: MAX_ENTRIES + 1 }, (_, i) => entry(`https://a.example/${i}`));
    expect(requestOf(draft({ entries: many }))).toBeNull();
    const hours = { from: '09:00', until: '17:00', days: 31, timezone: 'UTC' };
    expect(requestOf(draft({ hours }))?.time_window).toMatchObject({ end_min: 1_019 });
    expect(requestOf(draft({ hours: { ...hours, from: '' } }))).toBeNull();
    expect(requestOf(draft({ hours: { ...hours, timezone: 'Mars/Olympus' } }))).toBeNull();
  });
});
