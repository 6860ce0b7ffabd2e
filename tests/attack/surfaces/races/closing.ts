import { z } from 'zod';
import { callApi, type HttpSession } from '../../../support/http/http-owner.ts';
import type { Part } from '../../parts.ts';
import type { Target } from '../../target.ts';
import { atOnce, createParty, findOdd, type Party, spend } from './world.ts';

const AMOUNT = 50_000n;
const SPENDS = 8;
const URL = 'https://a.example/x';
const OPEN_POLICY = {
  url_allowlist: [{ pattern: 'https://a.example/**', max_per_call: 1_000_000 }],
  time_window: null,
};
const CLOSED_HOURS = { start_min: 0, end_min: 1_439, days: 0, timezone: 'UTC' };
const txAnswer = z.object({ txBase64: z.string() });

type Change = {
  readonly name: string;
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly path: (session: HttpSession) => string;
  readonly body: unknown;
  /** Takes effect with the answer; otherwise when the owner's transaction is confirmed. */
  readonly holdsAtOnce?: true;
};

const POLICY = { method: 'PUT', path: () => '/v1/wallet/policy', holdsAtOnce: true } as const;
const ofSession = (rest: string) => (session: HttpSession) =>
  `/v1/session/${session.sessionId}${rest}`;

const CHANGES: readonly Change[] = [
  { ...POLICY, name: 'the allowlist was emptied', body: { ...OPEN_POLICY, url_allowlist: [] } },
  { ...POLICY, name: 'the hours were closed', body: { ...OPEN_POLICY, time_window: CLOSED_HOURS } },
  { name: 'the wallet was paused', method: 'POST', path: () => '/v1/wallet/pause', body: {} },
  { name: 'the session was revoked', method: 'POST', path: ofSession('/revoke'), body: {} },
  {
    name: 'the recipient was removed',
    method: 'PUT',
    path: ofSession('/recipients'),
    body: { allowed_recipients: [] },
  },
  {
    name: 'the limit per payment was lowered',
    method: 'PATCH',
    path: ofSession(''),
    body: { max_per_tx: 1 },
  },
];

/** Spends while the owner forbids them: no spend requested after the change is paid. */
export const closing: Part<Target> = {
  shows: ['any-url'],
  attack: async (cases, target) => {
    await Promise.all(
      CHANGES.map((change) =>
        cases.try(`${SPENDS} spends after ${change.name}, ${SPENDS} meanwhile`, () =>
          tryChange(target, change),
        ),
      ),
    );
  },
};

async function tryChange(target: Target, change: Change): Promise<string | null> {
  const party = await createParty(target, 1_000n * AMOUNT);
  const session = await party.openSession();
  await make(party, session, { ...POLICY, name: 'the policy', body: OPEN_POLICY });
  const pay = () => spend(party, session, { amount: AMOUNT, url: URL });
  const [meanwhile] = await Promise.all([atOnce(SPENDS, pay), make(party, session, change)]);
  const after = await atOnce(SPENDS, pay);
  const disagreement = await party.judge();
  const passed = after.filter(({ status }) => status < 300).length;
  if (passed > 0) return `${passed} were not refused`;
  // The API answers 401 once it has seen that the session is revoked.
  const others = [...meanwhile, ...after].filter(({ status }) => status !== 401);
  return disagreement ?? findOdd(others);
}

async function make(
  { api, owner, target }: Party,
  session: HttpSession,
  { method, path, body, holdsAtOnce }: Change,
): Promise<void> {
  const headers = { cookie: owner.cookie };
  const answer = await callApi(api, method, path(session), { headers, body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  if (holdsAtOnce !== true) {
    await target.fixture.ownerSends(owner.keypair, txAnswer.parse(answer.body).txBase64);
  }
}
