/** What keeps a signature of the owner that somebody held back from granting anything later. */
import { SANDBOX_RESERVE } from '@agent-wallet/chain';
import { describe, expect, it } from 'vitest';
import { sessionState } from '../fixtures/fake-chain.ts';
import { messageOf, readInstructions } from '../fixtures/owner-transaction.ts';
import { addSessionKey, changeVault, openSession, type Session } from '../fixtures/open-session.ts';
import { createSession, signIn } from '../fixtures/signed-in-owner.ts';
import { useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

const INDEX = 2n ** 50n + 7n;
const TEN_MINUTES = 600;

/** Stops the api's clock within a second; returns the deadline of what it builds now. */
function stopClock(): { readonly deadline: string } {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  t.clock.nowMs = nowSeconds * 1_000 + 999;
  return { deadline: String(nowSeconds + TEN_MINUTES) };
}

/** Every endpoint that returns a transaction which grants or takes away something. */
const CALLS = ({ sessionId }: Session) =>
  [
    ['PUT', `/v1/session/${sessionId}/recipients`, { allowed_recipients: [] }],
    ['PATCH', `/v1/session/${sessionId}`, { max_per_tx: 1 }],
    ['POST', `/v1/session/${sessionId}/revoke`, {}],
    ['POST', '/v1/wallet/max-deployed-fraction', { max_deployed_fraction_bp: 1 }],
    ['POST', '/v1/wallet/pause', { paused: false }],
  ] as const;

type Call = readonly [method: 'POST' | 'PUT' | 'PATCH', url: string, body: object];

/** The arguments of the program's last instruction in the returned transaction. */
async function argsOf(s: Session, [method, url, body]: Call) {
  const answer = await s.owner.call(method, url, body);
  const message = messageOf(answer.json<{ txBase64: string }>().txBase64, s.owner.pubkey);
  return readInstructions(message).at(-1)?.args;
}

describe('a transaction for the owner', () => {
  it('is good for ten minutes, and for the session that the chain shows', async () => {
    const s = await openSession(t);
    t.chain.sessions.set(s.sessionPda, sessionState({ index: INDEX }));
    const named = { session_index: String(INDEX) };
    const deadline = stopClock();
    const [recipients, limits, revocation, fraction, resumption] = await Promise.all(
      CALLS(s).map((call) => argsOf(s, call)),
    );
    expect(recipients).toMatchObject({ ...named, ...deadline });
    expect(limits).toMatchObject({ ...named, ...deadline });
    expect(revocation).toEqual(named);
    expect(fraction).toMatchObject(deadline);
    expect(resumption).toMatchObject(deadline);
  });

  it('moves money to and from the reserve, and writes off a loss, within ten minutes', async () => {
    const s = await openSession(t, 10n);
    changeVault(t, s, { deployedAmount: 5n });
    t.chain.yieldReserve = SANDBOX_RESERVE;
    const deadline = stopClock();
    for (const [verb, amount] of [
      ['deposit', 1],
      ['withdraw', 1],
      ['withdraw', 'all'],
    ]) {
      const args = await argsOf(s, ['POST', `/v1/wallet/yield/${verb}`, { amount }]);
      expect(args).toMatchObject(deadline);
    }
  });

  it('creates the vault within ten minutes', async () => {
    const owner = await signIn(t);
    const deadline = stopClock();
    const made = (await owner.call('POST', '/v1/wallet', {})).json<{ txBase64: string }>();
    const [instruction] = readInstructions(messageOf(made.txBase64, owner.pubkey));
    expect(instruction?.args).toMatchObject(deadline);
  });

  it('creates the session with the next index of the vault, the same for two at once', async () => {
    const s = await openSession(t);
    changeVault(t, s, { nextSessionIndex: INDEX });
    const deadline = stopClock();
    for (const _ of [1, 2]) {
      await addSessionKey(t);
      const made = (await createSession(s.owner, s.walletId)).json<{ txBase64: string }>();
      const [instruction] = readInstructions(messageOf(made.txBase64, s.owner.pubkey));
      expect(instruction?.args).toMatchObject({ session_index: String(INDEX), ...deadline });
    }
  });
});
