import { callApi, type HttpAnswer, signIn } from '../../../support/http/http-owner.ts';
import { Keypair } from '@solana/web3.js';
import type { Part } from '../../parts.ts';
import type { Target } from '../../target.ts';
import { atOnce, createParty, findOdd, spend } from './world.ts';

const AMOUNT = 50_000n;
const COUNT = 20;

/** The same request many times at once. */
export const repetitions: Part<Target> = {
  shows: ['keys-count-for-nothing', 'session-keys-for-two'],
  attack: async (cases, target) => {
    await Promise.all([
      cases.try(`${COUNT} equal spends under one key`, () => tryKey(target, () => AMOUNT)),
      cases.try(`${COUNT} different spends under one key`, () =>
        tryKey(target, (n) => AMOUNT + BigInt(n)),
      ),
      cases.try('one key in two sessions', () => tryTwoSessions(target)),
      cases.try(`${COUNT} sessions at once`, () => trySessions(target)),
      cases.try(`${COUNT} wallets of one owner at once`, () => tryWallets(target)),
      cases.try(`${COUNT} changes of the policy at once`, () => tryPolicies(target)),
    ]);
  },
};

const distinct = (answers: readonly HttpAnswer[], field: string): number =>
  new Set(answers.map(({ body }) => body[field])).size;

async function tryKey(target: Target, amountOf: (n: number) => bigint): Promise<string | null> {
  const party = await createParty(target, 1_000n * AMOUNT);
  const session = await party.openSession();
  const answers = await atOnce(COUNT, (n) =>
    spend(party, session, { amount: amountOf(n), key: 'k' }),
  );
  const disagreement = await party.judge();
  const paid = await party.paid();
  const won = answers.filter(({ status }) => status < 300);
  const other = answers.filter(({ status }) => status >= 300 && status !== 409 && status !== 503);
  if (paid < AMOUNT || paid >= 2n * AMOUNT) return `${paid} base units were paid`;
  if (distinct(won, 'spend_id') !== 1 || other.length > 0) {
    return `${won.length} answers name a spend`;
  }
  return disagreement;
}

async function tryTwoSessions(target: Target): Promise<string | null> {
  const party = await createParty(target, 1_000n * AMOUNT);
  const sessions = [await party.openSession(), await party.openSession()];
  const answers = await Promise.all(
    sessions.map((session) => spend(party, session, { amount: AMOUNT, key: 'k' })),
  );
  const disagreement = await party.judge();
  const paid = await party.paid();
  return disagreement ?? findOdd(answers) ?? (paid === 2n * AMOUNT ? null : `${paid} were paid`);
}

async function trySessions(target: Target): Promise<string | null> {
  const { owner, api, recipient } = await createParty(target, 0n);
  const body = {
    wallet_id: owner.walletId,
    max_per_tx: 1,
    daily_cap: 1,
    allowed_instructions: 1,
    expiry: Math.floor(Date.now() / 1_000) + 3_600,
    allowed_recipients: [recipient],
  };
  const headers = { cookie: owner.cookie };
  const answers = await atOnce(COUNT, () => callApi(api, 'POST', '/v1/session', { headers, body }));
  const made = answers.filter(({ status }) => status === 200);
  const areDistinct = ['session_id', 'session_pubkey', 'session_pda', 'api_key'].every(
    (field) => distinct(made, field) === made.length,
  );
  const shared = areDistinct && made.length > 0 ? null : `${made.length} sessions share a value`;
  return findOdd(answers, [200, 503]) ?? shared;
}

async function tryWallets({ system }: Target): Promise<string | null> {
  const headers = { cookie: await signIn(system, Keypair.generate()) };
  const create = () => callApi(system, 'POST', '/v1/wallet', { headers, body: {} });
  const answers = await atOnce(COUNT, create);
  const several = distinct(answers, 'wallet_id') === 1 ? null : 'several wallets';
  return findOdd(answers, [200]) ?? several;
}

async function tryPolicies({ system }: Target): Promise<string | null> {
  const headers = { cookie: await signIn(system, Keypair.generate()) };
  await callApi(system, 'POST', '/v1/wallet', { headers, body: {} });
  const answers = await atOnce(COUNT, (n) => {
    const entry = { pattern: `https://a${n}.example/**`, max_per_call: 1 };
    const body = { url_allowlist: [entry], time_window: null };
    return callApi(system, 'PUT', '/v1/wallet/policy', { headers, body });
  });
  const shared = distinct(answers, 'version') === COUNT ? null : 'two changes are one version';
  return findOdd(answers, [200]) ?? shared;
}
