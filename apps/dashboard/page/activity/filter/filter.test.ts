import { describe, expect, it } from 'vitest';

import { isBackwards, isNarrowed, readFilter, timesOf, writeFilter } from './filter.ts';

const SESSION = '0190f5a4-7d3c-8e21-a6b4-2f9c0d1e3a57';
const queryOf = (text: string) => Object.fromEntries(new URLSearchParams(text));
const backwards = (text: string) => isBackwards(readFilter(queryOf(text)));

describe('the filter in the address', () => {
  it.each([
    '',
    `?session=${SESSION}&status=pending&kind=transfer&range=day`,
    `?list=decisions&session=${SESSION}&decision=deny&range=days&first=2026-11-01&last=2026-11-23`,
  ])('is the same after a reload: %s', (text) => {
    expect(writeFilter(readFilter(queryOf(text)))).toBe(text);
    expect(isNarrowed(readFilter(queryOf(text)))).toBe(text !== '');
  });

  it('takes nothing that the view does not offer', () => {
    const text =
      '?list=x&session=../x&status=lost&kind=x&decision=y&range=z&first=1&last=2026-13-45';
    expect(writeFilter(readFilter(queryOf(text)))).toBe('');
  });

  it('keeps of each list what applies to it', () => {
    const filter = { ...readFilter({}), status: 'pending', decision: 'deny' } as const;
    expect(writeFilter(filter)).toBe('?status=pending');
    expect(writeFilter({ ...filter, list: 'decisions' })).toBe('?list=decisions&decision=deny');
  });
});

describe('the time range', () => {
  const now = Date.UTC(2026, 10, 23, 12);
  const times = (text: string) => timesOf(readFilter(queryOf(text)), now);

  it('is everything, or counts back from now', () => {
    expect(times('')).toEqual({});
    expect(times('range=day')).toEqual({ from: new Date(now - 86_400_000) });
    expect(times('range=month')).toEqual({ from: new Date(now - 30 * 86_400_000) });
  });

  it('holds both days that were chosen, on the clock of the owner', () => {
    expect(times('range=days&first=2026-10-25&last=2026-10-25')).toEqual({
      from: new Date(2026, 9, 25),
      to: new Date(2026, 9, 26),
    });
    expect(times('range=days&last=2026-12-31')).toEqual({ to: new Date(2027, 0, 1) });
  });

  it('says when the days are in the wrong order', () => {
    expect(backwards('range=days&first=2026-11-02&last=2026-11-01')).toBe(true);
    expect(backwards('range=days&first=2026-11-01&last=2026-11-01')).toBe(false);
    expect(backwards('range=all&first=2026-11-02&last=2026-11-01')).toBe(false);
  });
});
