import { expect, test } from 'vitest';
import { parseReserveRequest } from './reserve-request.ts';

test.each([
  ['{"lend_out":5}', { lend_out: 5n }],
  ['{"lend_out":"18000000000000000"}', { lend_out: 18_000_000_000_000_000n }],
  ['{"accrue":250}', { accrue: 250n }],
  ['{"repay":true}', { repay: true }],
])('%s is one request', (text, wanted) => {
  expect(parseReserveRequest(text)).toEqual(wanted);
});

test.each([
  'not JSON',
  '{}',
  '[]',
  '{"repay":false}',
  '{"lend_out":0}',
  '{"lend_out":-1}',
  '{"lend_out":1.5}',
  '{"lend_out":"0x5"}',
  '{"accrue":1,"repay":true}',
])('%s is not a request', (text) => {
  expect(parseReserveRequest(text)).toBeNull();
});
