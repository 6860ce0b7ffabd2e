import { expect, it } from 'vitest';
import { moment } from './moment.ts';

it.each([
  ['0', '1970-01-01T00:00:00.000Z'],
  ['1800000000', '2027-01-15T08:00:00.000Z'],
  ['2027-01-15T08:00:00Z', '2027-01-15T08:00:00.000Z'],
  ['2027-01-15T08:00:00.123456Z', '2027-01-15T08:00:00.123Z'],
  ['2027-01-15T10:00:00+02:00', '2027-01-15T08:00:00.000Z'],
])('takes %j', (text, expected) => {
  expect(moment.parse(text).toISOString()).toBe(expected);
});

it.each([
  '',
  'yesterday',
  '-1',
  '1.5',
  '1800000000000',
  '2027-01-15',
  '2027-01-15T08:00:00',
  '2027-02-30T08:00:00Z',
  `2027-01-15T08:00:00.${'0'.repeat(100)}Z`,
])('refuses %j', (text) => {
  expect(moment.safeParse(text).error?.issues[0]?.message).toMatch(/^must be a time/);
});
