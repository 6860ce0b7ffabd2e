import { callApi, type HttpAnswer, signIn } from '../../../support/http/http-owner.ts';
import { Keypair } from '@solana/web3.js';
import type { Part } from '../../parts.ts';
import type { Target } from '../../target.ts';
import { ask, atOnce, createParty, findOdd } from './world.ts';

const AMOUNT = 50_000n;
const ASKED = 20;

/** The same once more, at the same time. */
export const repetitions: Part<Target> = {
  shows: ['keys-count-for-nothing', 'session-keys-for-two'],
  attack: async (cases, target) => {
    await Promise.all([
      cases.try(`${ASKED} asks under one key`, () => tryKey(target, () => AMOUNT)),
      cases.try(`${ASKED} different asks under one key`, () =>
        tryKey(target, (n) => AMOUNT + BigInt(n)),
      ),
      cases.try('one key in two sessions', () => tryTwoSessions(target)),
      cases.try(`${ASKED} sessions at once`, () => trySessions(target)),
      cases.try(`${ASKED} wallets of one owner at once`, () => tryWallets(target)),
      cases.try(`${ASKED} changes of the rules at once`, () => tryPolicies(target)),
    ]);
  },
};

const distinct = (answers: readonly HttpAnswer[], field: string): number =>
  new Set(answers.map(({ body }) => body[field])).size;

async function tryKey(target: Target, amountOf: (n: number) => bigint): Promise<string | null> {
  const party = await createParty(target, 1_000n * AMOUNT);
  const session = await party.openSession();
  const answers = await atOnce(ASKED, (n) =>
    ask(party, session, { amount: amountOf(n), key: 'k' }),
  );
  const disagreement = await party.judge();
  const paid = await party.paid();
  const won = answers.filter(({ status }) => status < 300);
  const other = answers.filter(({ status }) => status >= 300 && status !== 409 && status !== 503);
  if (paid < AMOUNT || paid >= 2n * AMOUNT) return `${paid} base units were paid`;
  if (distinct(won, 'spend_id') !== 1 || other.length > 0) return `${won.length} spends were told`;
  return disagreement;
}

async function tryTwoSessions(target: Target): Promise<string | null> {
  const party = await createParty(target, 1_000n * AMOUNT);
  const sessions = [await party.openSession(), await party.openSession()];
  const answers = await Promise.all(
    sessions.map((session) => ask(party, session, { amount: AMOUNT, key: 'k' })),
  );
  const disagreement = await party.judge();
  const paid = await party.paid();
  return disagreement ?? findOdd(answers) ?? (paid === 2n * AMOUNT ? null : `${paid} were paid`);
}

async function trySessions(target: Target): Promise<string | null> {
  const { owner, api, recipient } = await createParty(target, 0n);
  const answers = await atOnce(ASKED, () =>
    callApi(api, 'POST', '/v1/session', {
      headers: { cookie: owner.cookie },
      body: {
        wallet_id: owner.walletId,
        max_per_tx: 1,
        daily_cap: 1,
        expiry: Math.floor(Date.now() / 1_000) + 3_600,
        allowed_recipients: [recipient],
        allowed_instructions: 1,
      },
    }),
  );
  const made = answers.filter(({ status }) => status === 200);
  const odd = answers.find(({ status }) => status !== 200 && status !== 503);
  if (odd !== undefined) return `answered ${odd.status} ${JSON.stringify(odd.body)}`;
  const isEachItsOwn = ['session_id', 'session_pubkey', 'session_pda', 'api_key'].every(
    (field) => distinct(made, field) === made.length,
  );
  return isEachItsOwn && made.length > 0 ? null : `${made.length} sessions share something`;
}

async function tryWallets({ system }: Target): Promise<string | null> {
  const cookie = await signIn(system, Keypair.generate());
  const answers = await atOnce(ASKED, () =>
    callApi(system, 'POST', '/v1/wallet', { headers: { cookie }, body: {} }),
  );
  const odd = answers.find(({ status }) => status !== 200);
  if (odd !== undefined) return `answered ${odd.status} ${JSON.stringify(odd.body)}`;
  return distinct(answers, 'wallet_id') === 1 ? null : 'several wallets';
}

async function tryPolicies({ system }: Target): Promise<string | null> {
  const cookie = await signIn(system, Keypair.generate());
  await callApi(system, 'POST', '/v1/wallet', { headers: { cookie }, body: {} });
  const answers = await atOnce(ASKED, (n) =>
    callApi(system, 'PUT', '/v1/wallet/policy', {
      headers: { cookie },
      body: {
        url_allowlist: [{ pattern: `https://a${n}.example/**`, max_per_call: 1 }],
        time_window: null,
      },
    }),
  );
  const odd = answers.find(({ status }) => status !== 200);
  if (odd !== undefined) return `answered ${odd.status} ${JSON.stringify(odd.body)}`;
  return distinct(answers, 'version') === ASKED ? null : 'two changes are one version';
}
