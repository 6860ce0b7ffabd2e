import { expect, test } from 'vitest';
import { parseFaucetRequest } from './faucet-request.ts';

const address = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';

test.each([
  ['{', 'the body is not JSON'],
  ['[]', 'the body must be a JSON object'],
  ['null', 'the body must be a JSON object'],
  ['{"lamports":1}', 'address must be 32 bytes in base58'],
  ['{"address":7,"lamports":1}', 'address must be 32 bytes in base58'],
  ['{"address":"0OIl","lamports":1}', 'address must be 32 bytes in base58'],
  [`{"address":"${address}"}`, 'the body must name lamports or usdc'],
  [`{"address":"${address}","lamports":0}`, 'lamports must be'],
  [`{"address":"${address}","lamports":1.5}`, 'lamports must be'],
  [`{"address":"${address}","lamports":"9007199254740992"}`, 'lamports must be'],
  [`{"address":"${address}","usdc":-1}`, 'usdc must be'],
  [`{"address":"${address}","usdc":"1e3"}`, 'usdc must be'],
  [`{"address":"${address}","usdc":"18446744073709551616"}`, 'usdc must be'],
  [`{"address":"${address}","usdc":9007199254740993}`, 'usdc must be'],
])('the faucet refuses %s', (body, reason) => {
  const expected: unknown = expect.stringContaining(reason);
  expect(parseFaucetRequest(body)).toEqual({ kind: 'bad', reason: expected });
});

test('the faucet accepts amounts as numbers and as decimal strings up to u64', () => {
  const body = `{"address":"${address}","lamports":5,"usdc":"18446744073709551615"}`;
  expect(parseFaucetRequest(body)).toMatchObject({
    kind: 'request',
    request: { lamports: 5, usdcBaseUnits: 18_446_744_073_709_551_615n },
  });
});
