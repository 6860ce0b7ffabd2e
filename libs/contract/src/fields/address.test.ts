import { expect, it } from 'vitest';
import { decodeAddress } from './address.ts';

it.each([
  ['11111111111111111111111111111111', 32],
  ['4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU', 32],
])('takes the address %s', (text, length) => {
  expect(decodeAddress(text)?.length).toBe(length);
});

it.each([
  '',
  '1111111111111111111111111111111',
  '111111111111111111111111111111111',
  '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncD0',
  'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz',
  '0x0000000000000000000000000000000000000000',
])('refuses %j', (text) => {
  expect(decodeAddress(text)).toBeNull();
});
