import { beforeAll, expect } from 'vitest';
import type { HttpOwner, HttpSession } from '../../support/http/http-owner.ts';
import { row } from '../row.ts';
import {
  bearer,
  callOther,
  chain,
  newOwner,
  newRecipient,
  readPosition,
  transfer,
} from '../world.ts';

let owner: HttpOwner;
let session: HttpSession;
let empty: HttpSession;
beforeAll(async () => {
  const [recipient, poor] = [await newRecipient(), await newOwner(0n)];
  owner = await newOwner(3_000_000n);
  [session, empty] = await Promise.all([
    owner.createSession({ recipients: [recipient] }),
    poor.createSession({ recipients: [] }),
  ]);
  await transfer(session.apiKey, { recipient, amount: 1_000 });
});

row('position.liquid', async () => {
  const { body } = await readPosition(session.apiKey);
  expect(body['liquid']).toBe('2999000');
  expect(await chain.balances([owner.vaultUsdcAta])).toEqual([2_999_000n]);
});

row('position.liquid.zero', async () => {
  expect((await readPosition(empty.apiKey)).body['liquid']).toBe('0');
});

row('position.liquid.null', async () => {
  const headers = bearer(session.apiKey);
  const { status, body } = await callOther('api-cut', 'GET', '/v1/yield/position', { headers });
  expect([status, body['liquid']]).toEqual([200, null]);
});

row('position.total_balance.unread', async () => {
  const headers = bearer(session.apiKey);
  const { body } = await callOther('api-cut', 'GET', '/v1/yield/position', { headers });
  expect(body['liquid']).toBeNull();
  expect(body['total_balance']).toBe(body['deployed']);
});

row('position.accrued', async () => {
  // Where yield is switched off there is no exchange rate to be read.
  const headers = bearer(session.apiKey);
  const { status, body } = await callOther('api-plain', 'GET', '/v1/yield/position', { headers });
  expect([status, body['accrued']]).toEqual([200, null]);
});
