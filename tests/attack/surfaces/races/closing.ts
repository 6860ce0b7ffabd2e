import { z } from 'zod';
import { callApi, type HttpSession } from '../../../support/http/http-owner.ts';
import type { Part } from '../../parts.ts';
import type { Target } from '../../target.ts';
import { ask, atOnce, createParty, findOdd, type Party } from './world.ts';

const AMOUNT = 50_000n;
const ASKED = 8;
const URL = 'https://a.example/x';
const txAnswer = z.object({ txBase64: z.string() });

type Change = {
  readonly name: string;
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly path: (session: HttpSession) => string;
  readonly body: unknown;
  /** Holds with the answer; else once the owner's transaction is confirmed. */
  readonly holdsAtOnce?: true;
};

const CHANGES: readonly Change[] = [
  {
    name: 'the allowlist was emptied',
    method: 'PUT',
    path: () => '/v1/wallet/policy',
    body: { url_allowlist: [], time_window: null },
    holdsAtOnce: true,
  },
  {
    name: 'the hours were closed',
    method: 'PUT',
    path: () => '/v1/wallet/policy',
    body: {
      url_allowlist: [{ pattern: 'https://a.example/**', max_per_call: 1_000_000 }],
      time_window: { start_min: 0, end_min: 1_439, days: 0, timezone: 'UTC' },
    },
    holdsAtOnce: true,
  },
  { name: 'the wallet was paused', method: 'POST', path: () => '/v1/wallet/pause', body: {} },
  {
    name: 'the session was revoked',
    method: 'POST',
    path: ({ sessionId }) => `/v1/session/${sessionId}/revoke`,
    body: {},
  },
  {
    name: 'the recipient was taken out',
    method: 'PUT',
    path: ({ sessionId }) => `/v1/session/${sessionId}/recipients`,
    body: { allowed_recipients: [] },
  },
  {
    name: 'the most per payment was lowered',
    method: 'PATCH',
    path: ({ sessionId }) => `/v1/session/${sessionId}`,
    body: { max_per_tx: 1 },
  },
];

/** Spends while the owner takes away what lets them through: none that is asked afterwards is paid. */
export const closing: Part<Target> = {
  shows: ['any-url'],
  attack: async (cases, target) => {
    await Promise.all(
      CHANGES.map((change) =>
        cases.try(`${ASKED} spends after ${change.name}, ${ASKED} meanwhile`, () =>
          tryChange(target, change),
        ),
      ),
    );
  },
};

async function tryChange(target: Target, change: Change): Promise<string | null> {
  const party = await createParty(target, 1_000n * AMOUNT);
  const session = await party.openSession();
  await put(party, {
    url_allowlist: [{ pattern: 'https://a.example/**', max_per_call: 1_000_000 }],
    time_window: null,
  });
  const spend = () => ask(party, session, { amount: AMOUNT, url: URL });
  const [meanwhile] = await Promise.all([atOnce(ASKED, spend), close(party, session, change)]);
  const after = await atOnce(ASKED, spend);
  const disagreement = await party.judge();
  const passed = after.filter(({ status }) => status < 300).length;
  if (passed > 0) return `${passed} were not refused`;
  // A 401 is how a session that is gone on chain is refused once the api has seen it.
  const refused = after.filter(({ status }) => status !== 401);
  return disagreement ?? findOdd([...meanwhile.filter(({ status }) => status !== 401), ...refused]);
}

async function close(
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

async function put({ api, owner }: Party, body: unknown): Promise<void> {
  const headers = { cookie: owner.cookie };
  const { status } = await callApi(api, 'PUT', '/v1/wallet/policy', { headers, body });
  if (status !== 200) throw new Error(`the rules: ${status}`);
}
