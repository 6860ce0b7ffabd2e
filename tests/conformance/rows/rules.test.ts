import { beforeAll, expect } from 'vitest';
import type { HttpOwner, HttpSession } from '../../support/http/http-owner.ts';
import { countHistory, readOwner, readTransaction } from '../chain-history.ts';
import { row } from '../row.ts';
import {
  asOwner,
  auditOf,
  bearer,
  call,
  chain,
  newAddress,
  newOwner,
  newRecipient,
  readPosition,
  readSession,
  transfer,
  world,
} from '../world.ts';

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';

let owner: HttpOwner;
let session: HttpSession;
let recipient: string;
/** Listed, but without a token account. */
let poor: string;
beforeAll(async () => {
  [owner, recipient] = await Promise.all([newOwner(3_000_000n), newRecipient()]);
  poor = newAddress();
  session = await owner.createSession({ recipients: [recipient, poor], maxPerTx: 1_000_000n });
});

row('rules.1.recipient-listed', async () => {
  const stranger = await newRecipient();
  const refused = await transfer(session.apiKey, { recipient: stranger, amount: 1 });
  expect(refused).toMatchObject({ status: 402, body: { code: 'RecipientNotAllowed' } });
  expect((await transfer(session.apiKey, { recipient, amount: 1 })).status).toBe(200);
});

row('rules.1.token-account-exists', async () => {
  const refused = await transfer(session.apiKey, { recipient: poor, amount: 1 });
  expect(refused).toMatchObject({ status: 402, body: { code: 'AccountNotInitialized' } });
  expect(await readOwner(chain.usdcAccountOf(poor))).toBeNull();
});

row('rules.6.1-authenticate', async () => {
  const headers = { authorization: 'Bearer svc_dev_nobody' };
  const answer = await call('POST', '/v1/spend/transfer', { headers, body: { amount: 'nothing' } });
  expect(answer).toMatchObject({ status: 401, body: { error: 'invalid api key' } });
});

row('rules.6.4-liquidity', async () => {
  const small = await newOwner(1_000n);
  const one = await small.createSession({ recipients: [recipient] });
  const refused = await transfer(one.apiKey, { recipient, amount: 1_001 });
  expect(refused).toMatchObject({ status: 402, body: { error: 'INSUFFICIENT_LIQUID' } });
  expect((await transfer(one.apiKey, { recipient, amount: 1_000 })).status).toBe(200);
  expect((await readPosition(one.apiKey)).body['liquid']).toBe('0');
});

row('rules.6.5-signs', async () => {
  const { body } = await transfer(session.apiKey, { recipient, amount: 51 });
  const { programs, signers, events } = await readTransaction(String(body['tx_signature']));
  expect(programs.filter((program) => program !== COMPUTE_BUDGET)).toEqual([world.programId]);
  expect(signers).toContain((await readSession(owner, session.sessionId))['session_pubkey']);
  expect(events).toMatchObject([{ name: 'UsdcTransferred', data: { amount: 51n } }]);
});

row('rules.6.6-on-chain', async () => {
  const answer = await transfer(session.apiKey, { recipient, amount: 1_000_052 });
  expect(answer).toMatchObject({
    status: 402,
    body: { layer: 'on-chain', detail: expect.stringMatching(/custom program error: 0x1771/) },
  });
});

row('rules.6.7-audit', async () => {
  await transfer(session.apiKey, { recipient, amount: 53 });
  await transfer(session.apiKey, { recipient, amount: 1_000_053 });
  expect(await auditOf(owner, 'limit=2')).toMatchObject([
    { decision: 'deny', amount: '1000053' },
    { decision: 'allow', amount: '53' },
  ]);
});

row('rules.7.insufficient', async () => {
  const before = await countHistory(session.sessionPda);
  const answer = await transfer(session.apiKey, { recipient, amount: 54_000_000 });
  expect(answer).toMatchObject({ status: 402, body: { error: 'INSUFFICIENT_LIQUID' } });
  expect(await countHistory(session.sessionPda)).toBe(before);
});

row('rules.8.reads', async () => {
  const before = await auditOf(owner);
  const paths = ['/v1/wallet', '/v1/session', '/v1/fund/deposit-address', '/v1/audit'];
  for (const path of paths) expect((await asOwner(owner, 'GET', path)).status).toBe(200);
  expect((await readPosition(session.apiKey)).status).toBe(200);
  const nowhere = '/v1/spend/00000000-0000-4000-8000-000000000000';
  await call('GET', nowhere, { headers: bearer(session.apiKey) });
  expect(await auditOf(owner)).toEqual(before);
});
