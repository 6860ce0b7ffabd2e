import { randomUUID } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import { sql } from 'slonik';
import { z } from 'zod';
import {
  callApi,
  createHttpOwner,
  type HttpOwner,
  type HttpSession,
} from '../../support/http/http-owner.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Target } from '../target.ts';
import { createSignIn } from './sign-in.ts';

/** An owner with one agent, and everything that has an id. */
export type Party = {
  readonly owner: HttpOwner;
  readonly session: HttpSession;
  readonly sessionPubkey: string;
  /** A session whose key nobody needs. */
  readonly spareSessionId: string;
  /** In the session's list, and in no other one. */
  readonly recipient: string;
  /** Covered by the wallet's URL allowlist, and by no other one. */
  readonly url: string;
  readonly spendId: string;
  /** By operation: each is bound to a spend of the session. */
  readonly idempotencyKeys: Readonly<Record<string, string>>;
  /** `next_cursor` of the first page of the wallet's log. */
  readonly cursor: string;
  /** A nonce of a sign-in of the owner's. */
  readonly burnedNonce: string;
};

/** Operations that take an Idempotency-Key. */
const KEYED = [
  'postSpendTransfer',
  'postSpendSignPayment',
  'postSpendService',
  'postYieldDeposit',
  'postYieldWithdraw',
];
const FUNDS = 50_000_000n;
/** Odd, so that it cannot be mistaken for another amount. */
const FIRST_AMOUNT = 4_123_457;
const EVERY_INSTRUCTION = 7;

/** An owner with a funded vault, rules of its own, and sessions made over HTTP. */
export async function createParty({ system, fixture }: Target): Promise<Party> {
  const fraction = { max_deployed_fraction_bp: 8_000 };
  const owner = await createHttpOwner(system, fixture, FUNDS, fraction);
  const url = `https://${randomUUID()}.example.com/paid`;
  const policy = { url_allowlist: [{ pattern: url, max_per_call: 100_000 }], time_window: null };
  await callApi(system, 'PUT', '/v1/wallet/policy', {
    headers: { cookie: owner.cookie },
    body: policy,
  });
  const { sessionId: spareSessionId } = await owner.createSession({ recipients: [] });
  const signIn = await createSignIn(system, owner.keypair);
  await callApi(system, 'POST', '/v1/auth/siws', { body: signIn.body });
  const burnedNonce = signIn.body.nonce;
  return { ...(await addAgent({ system, fixture }, owner)), url, spareSessionId, burnedNonce };
}

/** One more agent of the same owner. */
export async function createSibling(target: Target, party: Party): Promise<Party> {
  return { ...party, ...(await addAgent(target, party.owner)) };
}

async function addAgent({ system, fixture }: Pick<Target, 'system' | 'fixture'>, owner: HttpOwner) {
  const recipient = await fixture.createRecipient();
  const session = await owner.createSession({
    recipients: [recipient],
    maxPerTx: 10_000_000n,
    allowedInstructions: EVERY_INSTRUCTION,
  });
  const asOwner = { headers: { cookie: owner.cookie } };
  const { body } = await callApi(system, 'GET', `/v1/session/${session.sessionId}`, asOwner);
  const keys = Object.fromEntries(KEYED.map((name) => [name, randomUUID()]));
  const spendIds = await Promise.all(
    Object.values(keys).map(async (key, i) => {
      const headers = { authorization: `Bearer ${session.apiKey}`, 'idempotency-key': key };
      const wish = { recipient, amount: i === 0 ? FIRST_AMOUNT : i };
      const spent = await callApi(system, 'POST', '/v1/spend/transfer', { headers, body: wish });
      return z.string().parse(spent.body['spend_id']);
    }),
  );
  const page = await callApi(system, 'GET', '/v1/audit?limit=1', asOwner);
  return {
    owner,
    session,
    sessionPubkey: z.string().parse(body['session_pubkey']),
    recipient,
    spendId: z.string().parse(spendIds[0]),
    idempotencyKeys: keys,
    cursor: z.string().parse(page.body['next_cursor']),
  };
}

/** A session that its owner has revoked on chain; resolves when the service knows. */
export async function createRevoked({ system, fixture }: Target, owner: HttpOwner) {
  const session = await owner.createSession({ recipients: [] });
  const path = `/v1/session/${session.sessionId}/revoke`;
  const headers = { cookie: owner.cookie };
  const { body } = await callApi(system, 'POST', path, { headers });
  await fixture.ownerSends(owner.keypair, z.string().parse(body['txBase64']));
  await waitUntil('the session to be known as revoked', () =>
    fixture.db.exists(sql.unsafe`
      select 1 from session
      where session_id = ${session.sessionId}::uuid and status = 'revoked'
    `),
  );
  return session;
}

/** A key that was replaced by another. */
export async function createRotated({ system }: Target, owner: HttpOwner): Promise<string> {
  const { sessionId, apiKey } = await owner.createSession({ recipients: [] });
  const headers = { cookie: owner.cookie };
  await callApi(system, 'POST', `/v1/session/${sessionId}/rotate-key`, { headers });
  return apiKey;
}

/** An address that nobody has used. */
export const newAddress = (): string => Keypair.generate().publicKey.toBase58();
