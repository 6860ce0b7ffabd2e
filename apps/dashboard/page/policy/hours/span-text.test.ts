import { expect, it } from 'vitest';
import { spanText, zoneName } from './span-text.ts';

const AT = Date.UTC(2026, 10, 23, 8);
const HOUR_MS = 3_600_000;

it.each([
  [8, 'Europe/Berlin', 'Mon 23 Nov, 09:00–17:00'],
  [15, 'Europe/Berlin', 'Mon 23 Nov, 09:00–24:00'],
  [17, 'Europe/Berlin', 'Mon 23 Nov, 09:00 – Tue 24 Nov, 02:00'],
  [8, 'Pacific/Auckland', 'Mon 23 Nov, 21:00 – Tue 24 Nov, 05:00'],
  [8, 'Asia/Kolkata', 'Mon 23 Nov, 13:30–21:30'],
])('writes %d hours in %s as %s', (hours, zone, text) => {
  expect(spanText({ fromMs: AT, toMs: AT + hours * HOUR_MS }, zone)).toBe(text);
});

it('writes a moment, and the name of a zone', () => {
  expect(spanText({ fromMs: AT, toMs: null }, 'UTC')).toBe('Mon 23 Nov, 08:00');
  expect(zoneName('America/New_York')).toBe('America/New York');
});
