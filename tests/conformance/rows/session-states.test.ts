import { expect } from 'vitest';
import { waitUntil } from '../../support/wait-until.ts';
import { countHistory, readAccount, readTransaction } from '../chain-history.ts';
import { row } from '../row.ts';
import {
  type Agent,
  agentWith,
  createUnsigned,
  newSpender,
  ownerSends,
  refused,
  refusedOnChain,
  world,
} from '../world.ts';

const { owner, agent, recipient } = await newSpender();
const statusOf = async ({ sessionId }: Pick<Agent, 'sessionId'>) =>
  (await owner.readSession(sessionId))['status'];

row(['states.session.live', 'errors.detail.AccountNotInitialized.session'], async () => {
  const { body } = await createUnsigned(owner, { allowed_recipients: [recipient] });
  const one = agentWith(String(body['api_key']), recipient);
  const unsigned = { sessionId: String(body['session_id']) };
  expect(await statusOf(unsigned)).toBe('awaiting_owner_signature');
  const early = await one.pay(1);
  expect(early).toMatchObject(refusedOnChain('AccountNotInitialized'));
  expect(early.body['detail']).toMatch(/0xbc4/);
  await ownerSends(owner.keypair, String(body['txBase64']));
  expect(await statusOf(unsigned)).toBe('live');
  expect((await one.pay(1)).status).toBe(200);
});

row('states.session.spends', async () => {
  const { status, body } = await agent.pay(101);
  expect(status).toBe(200);
  expect(await readTransaction(String(body['tx_signature']))).toMatchObject({ succeeded: true });
  expect(await owner.audit(`session_id=${agent.sessionId}&limit=1`)).toMatchObject([
    { decision: 'allow', amount: '101', tx_signature: body['tx_signature'] },
  ]);
  expect(await statusOf(agent)).toBe('live');
});

row(['states.session.denied', 'rules.7.insufficient', 'service.layers.both'], async () => {
  const count = () => Promise.all([agent.sessionPda, owner.vault].map(countHistory));
  const before = await count();
  const denied = await agent.pay(102_000_000);
  expect(denied).toMatchObject(refused(402, 'INSUFFICIENT_LIQUID', { layer: 'off-chain' }));
  expect(await owner.audit('decision=deny&limit=1')).toMatchObject([
    {
      decision: 'deny',
      amount: '102000000',
      reason: 'INSUFFICIENT_LIQUID',
      tx_signature: null,
      detail_signature: null,
    },
  ]);
  expect(await count()).toEqual(before);
  expect(await statusOf(agent)).toBe('live');
});

row('states.session.violation', async () => {
  const answer = await agent.pay(1_000_003);
  expect(answer).toMatchObject(refused(402, 'on-chain submission failed'));
  expect(answer.body['detail']).toMatch(/./);
  expect(await statusOf(agent)).toBe('live');
  expect((await agent.pay(103)).status).toBe(200);
});

row(
  [
    'errors.detail.SessionExpired',
    'limits.expiry',
    'open.session.statuses',
    'states.session.expired',
  ],
  async () => {
    const expiry = BigInt(Math.floor(Date.now() / 1_000) + 10);
    const one = await owner.openAgent(recipient, { expiry });
    expect((await one.pay(1)).status).toBe(200);
    expect(await statusOf(one)).toBe('live');
    const late = await waitUntil(
      'the session’s expiry on chain',
      async () => {
        const answer = await one.pay(1);
        return answer.status !== 200 && answer;
      },
      { timeoutMs: 30_000, intervalMs: 250 },
    );
    expect(late).toMatchObject(refusedOnChain('SessionExpired'));
    await waitUntil('the owner to read it too', async () => (await statusOf(one)) === 'expired');
  },
);

row(['errors.401.session-revoked', 'open.session.revoke', 'states.session.revoked'], async () => {
  const one = await owner.openAgent(recipient);
  const { status, body } = await owner.call('POST', `/v1/session/${one.sessionId}/revoke`);
  expect([status, Object.keys(body)]).toEqual([200, ['txBase64']]);
  // Requested, but not signed yet.
  expect((await one.pay(1)).status).toBe(200);
  await ownerSends(owner.keypair, String(body['txBase64']));
  expect(await readAccount('Session', one.sessionPda)).toBeNull();
  await waitUntil('the owner to read it', async () => (await statusOf(one)) === 'revoked');
  const answer = await waitUntil('401 after the revocation', async () => {
    const seen = await one.position();
    return seen.status === 401 && seen;
  });
  expect(answer).toMatchObject(refused(401, 'session revoked'));
});

row(['deny.SessionRevoked', 'states.session.revoked.race'], async () => {
  const raced = await newSpender();
  await raced.agent.pay(105);
  // Without the session's creation in the rows, an absent account says nothing about a revocation.
  await expect
    .poll(() => raced.owner.audit('limit=50'), { timeout: 20_000 })
    .toContainEqual(expect.objectContaining({ action: 'add_session' }));
  // The api learns of revocations from the confirm-worker, which is stopped meanwhile.
  process.kill(world.confirmWorkerPid, 'SIGSTOP');
  try {
    await raced.owner.revoke(raced.agent);
    expect(await raced.agent.pay(106)).toMatchObject(
      refused(402, 'on-chain submission failed', {
        detail: expect.stringMatching(/^SessionRevoked/),
      }),
    );
  } finally {
    process.kill(world.confirmWorkerPid, 'SIGCONT');
  }
  expect(await raced.owner.audit(`session_id=${raced.agent.sessionId}`)).toMatchObject([
    { decision: 'deny', reason: 'SessionRevoked', amount: '106', tx_signature: null },
    { decision: 'allow', amount: '105' },
  ]);
});
