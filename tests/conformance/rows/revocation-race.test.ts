import { beforeAll, expect } from 'vitest';
import type { HttpAnswer } from '../../support/http/http-owner.ts';
import { row } from '../row.ts';
import { auditOf, newOwner, newRecipient, revoke, transfer, world } from '../world.ts';

/** What a spend met whose session was gone on chain before anybody had told the api. */
let answer: HttpAnswer;
let logged: Awaited<ReturnType<typeof auditOf>>;
beforeAll(async () => {
  const [owner, recipient] = await Promise.all([newOwner(), newRecipient()]);
  const { apiKey, sessionId } = await owner.createSession({ recipients: [recipient] });
  await transfer(apiKey, { recipient, amount: 105 });
  // Who would tell the api stands still meanwhile.
  process.kill(world.confirmWorkerPid, 'SIGSTOP');
  try {
    await revoke(owner, sessionId);
    answer = await transfer(apiKey, { recipient, amount: 106 });
  } finally {
    process.kill(world.confirmWorkerPid, 'SIGCONT');
  }
  logged = await auditOf(owner, `session_id=${sessionId}`);
});

row('states.session.revoked.race', () => {
  expect(answer).toMatchObject({
    status: 402,
    body: {
      error: 'on-chain submission failed',
      detail: expect.stringMatching(/^SessionRevoked/),
    },
  });
});

row('deny.SessionRevoked', () => {
  expect(logged).toMatchObject([
    { decision: 'deny', reason: 'SessionRevoked', amount: '106', tx_signature: null },
    { decision: 'allow', amount: '105' },
  ]);
});
