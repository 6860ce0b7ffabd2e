import { describe, expect, it } from 'vitest';
import { formOfLimits, parseLimits, parseRecipients, type SessionForm } from './session-form.ts';

const NOW = 1_795_000_000;
const form: SessionForm = {
  maxPerTx: '5',
  dailyCap: '50.25',
  lasts: '48',
  unit: 'hours',
  actions: ['transfer'],
};
const parse = (changed: Partial<SessionForm>, expiry?: number) =>
  parseLimits({ ...form, ...changed }, { now: NOW, ...(expiry === undefined ? {} : { expiry }) });

describe('limits', () => {
  it('are base units and unix seconds', () => {
    expect(parse({ maxPerTx: ' 0.000001 ', actions: ['transfer', 'yield_withdraw'] })).toEqual({
      kind: 'accepted',
      value: {
        max_per_tx: 1n,
        daily_cap: 50_250_000n,
        expiry: NOW + 48 * 3_600,
        allowed_instructions: 5,
      },
    });
    expect(parse({ lasts: '30', unit: 'days' })).toMatchObject({
      value: { expiry: NOW + 30 * 86_400 },
    });
    expect(parse({ maxPerTx: '50.25' })).toMatchObject({ kind: 'accepted' });
  });

  it.each([
    ['maxPerTx', { maxPerTx: '' }, 'Enter an amount'],
    ['maxPerTx', { maxPerTx: '0' }, 'above 0'],
    ['maxPerTx', { maxPerTx: '-1' }, 'such as 5 or 0.25'],
    ['maxPerTx', { maxPerTx: '1e3' }, 'such as 5 or 0.25'],
    ['maxPerTx', { maxPerTx: '1,5' }, 'without commas'],
    ['maxPerTx', { maxPerTx: '0.0000001' }, 'six decimals'],
    ['maxPerTx', { maxPerTx: '50.250001' }, 'above the cap of 50.25 USDC'],
    ['dailyCap', { dailyCap: '99999999999999' }, 'such as 5 or 0.25'],
    ['lasts', { lasts: '' }, 'whole number of hours'],
    ['lasts', { lasts: '1.5' }, 'whole number of hours'],
    ['lasts', { lasts: '0', unit: 'days' }, 'whole number of days'],
    ['lasts', { lasts: '366', unit: 'days' }, 'at most 365 days'],
    ['actions', { actions: [] }, 'at least one'],
  ] as const)('say of %s in %o: %s', (field, changed, text) => {
    const parsed = parse(changed);
    expect(parsed.kind).toBe('refused');
    expect(parsed.kind === 'refused' ? parsed.errors : {}).toEqual({
      [field]: expect.stringContaining(text),
    });
  });

  it('name every field that is refused', () => {
    expect(parse({ maxPerTx: 'x', dailyCap: '', lasts: '?', actions: [] })).toMatchObject({
      errors: {
        maxPerTx: expect.any(String),
        dailyCap: expect.any(String),
        lasts: expect.any(String),
        actions: expect.any(String),
      },
    });
  });

  it('of a session are the same again, with its expiry', () => {
    const limits = {
      max_per_tx: 1_234_500_001n,
      daily_cap: 2n ** 64n - 1n,
      actions: ['transfer'],
    } as const;
    expect(parse(formOfLimits(limits), NOW + 1)).toEqual({
      kind: 'accepted',
      value: {
        max_per_tx: limits.max_per_tx,
        daily_cap: limits.daily_cap,
        expiry: NOW + 1,
        allowed_instructions: 1,
      },
    });
    expect(parse(formOfLimits(limits), NOW)).toMatchObject({
      errors: { lasts: expect.stringContaining('expired') },
    });
  });
});

const address = (place: number) =>
  `4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDnc${'ABCDEFGHJKL'[place]}U`;

describe('recipients', () => {
  const ONE = address(3);
  const vault = '11111111111111111111111111111112';
  const parseText = (text: string) => parseRecipients(text, new Map([[vault, 'your vault']]));

  it('stand between spaces, commas and line breaks', () => {
    expect(parseText(` ${address(0)}\n${address(1)}, ${address(2)}\n`)).toEqual({
      kind: 'accepted',
      value: [address(0), address(1), address(2)],
    });
    expect(parseText('')).toEqual({ kind: 'accepted', value: [] });
  });

  it.each([
    ['alice', 'not a Solana address'],
    ['0x0000000000000000000000000000000000000000', 'not a Solana address'],
    [vault, 'is your vault'],
    [`${ONE} ${ONE}`, 'listed twice'],
    [Array.from({ length: 11 }, (_, place) => address(place)).join(' '), 'at most 10'],
  ])('are refused: %s', (text, reason) => {
    expect(parseText(text)).toMatchObject({
      errors: { recipients: expect.stringContaining(reason) },
    });
  });
});
