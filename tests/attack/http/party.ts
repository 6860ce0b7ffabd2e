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
import { requestNonce, exchange } from '../../support/http/sign-in.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Target } from '../target.ts';

/** An owner with one agent, and the ids of all that they have. */
export type Party = {
  readonly owner: HttpOwner;
  readonly session: HttpSession;
  readonly sessionPubkey: string;
  /** A session whose API key may be rotated. */
  readonly spareSessionId: string;
  /** Allowed in this session only. */
  readonly recipient: string;
  /** Allowed by this wallet's URL allowlist only. */
  readonly url: string;
  readonly spendId: string;
  /** By operation; each belongs to a spend of the session. */
  readonly idempotencyKeys: Readonly<Record<string, string>>;
  /** `next_cursor` of the first page of the wallet's log. */
  readonly cursor: string;
  readonly webhookId: string;
  /** The used nonce of one of the owner's sign-ins. */
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
/** Nothing happens that this event reports: no request leaves the system. */
const QUIET_EVENT = 'session.expiring';
const FUNDS = 50_000_000n;
/** Odd, so that it cannot be mistaken for another amount. */
const FIRST_AMOUNT = 4_123_457;
const EVERY_INSTRUCTION = 7;

/** Creates an owner over HTTP, with a funded vault, a policy and sessions. */
export async function createParty(target: Target): Promise<Party> {
  const { system, fixture } = target;
  const fraction = { max_deployed_fraction_bp: 8_000 };
  const owner = await createHttpOwner(system, fixture, FUNDS, fraction);
  const url = `https://${randomUUID()}.example.com/paid`;
  const policy = { url_allowlist: [{ pattern: url, max_per_call: 100_000 }], time_window: null };
  await callApi(system, 'PUT', '/v1/wallet/policy', { headers: asOwner(owner), body: policy });
  const { sessionId: spareSessionId } = await owner.createSession({ recipients: [] });
  const postWebhooks = randomUUID();
  const webhook = await callApi(system, 'POST', '/v1/webhooks', {
    headers: { ...asOwner(owner), 'idempotency-key': postWebhooks },
    body: webhookBody(),
  });
  const webhookId = z.string().parse(webhook.body['webhook_id']);
  const challenge = await requestNonce(system);
  await exchange(system, owner.keypair, challenge);
  const agent = await addAgent(target, owner);
  const idempotencyKeys = { ...agent.idempotencyKeys, postWebhooks };
  const { nonce: burnedNonce } = challenge;
  return { ...agent, idempotencyKeys, url, spareSessionId, webhookId, burnedNonce };
}

/** Creates another agent of the same owner. */
export async function createSibling(target: Target, party: Party): Promise<Party> {
  return { ...party, ...(await addAgent(target, party.owner)) };
}

/** A valid body of `POST /v1/webhooks`, with a host that does not exist. */
export const webhookBody = () => ({
  url: `https://${randomUUID()}.invalid/hook`,
  events: [QUIET_EVENT],
});

/** A valid body of `POST /v1/session`. */
export const sessionBody = ({ walletId }: HttpOwner, recipient: string) => ({
  wallet_id: walletId,
  max_per_tx: 1,
  daily_cap: 1,
  expiry: 4_000_000_000,
  allowed_recipients: [recipient],
  allowed_instructions: 1,
});

const asOwner = ({ cookie }: HttpOwner) => ({ cookie });

async function addAgent({ system, fixture }: Target, owner: HttpOwner) {
  const recipient = await fixture.createRecipient();
  const session = await owner.createSession({
    recipients: [recipient],
    maxPerTx: 10_000_000n,
    allowedInstructions: EVERY_INSTRUCTION,
  });
  const read = async (path: string) =>
    (await callApi(system, 'GET', path, { headers: asOwner(owner) })).body;
  const shown = await read(`/v1/session/${session.sessionId}`);
  const idempotencyKeys = Object.fromEntries(KEYED.map((name) => [name, randomUUID()]));
  const spendIds = await Promise.all(
    Object.values(idempotencyKeys).map(async (key, i) => {
      const headers = { authorization: `Bearer ${session.apiKey}`, 'idempotency-key': key };
      const body = { recipient, amount: i === 0 ? FIRST_AMOUNT : i };
      const spent = await callApi(system, 'POST', '/v1/spend/transfer', { headers, body });
      return z.string().parse(spent.body['spend_id']);
    }),
  );
  const postSession = randomUUID();
  await callApi(system, 'POST', '/v1/session', {
    headers: { ...asOwner(owner), 'idempotency-key': postSession },
    body: sessionBody(owner, recipient),
  });
  const page = await read('/v1/audit?limit=1');
  return {
    owner,
    session,
    sessionPubkey: z.string().parse(shown['session_pubkey']),
    recipient,
    spendId: z.string().parse(spendIds[0]),
    idempotencyKeys: { ...idempotencyKeys, postSession },
    cursor: z.string().parse(page['next_cursor']),
  };
}

/** Creates a session that its owner has revoked on chain, and waits until the service knows. */
export async function createRevoked({ system, fixture }: Target, owner: HttpOwner) {
  const session = await owner.createSession({ recipients: [] });
  const path = `/v1/session/${session.sessionId}/revoke`;
  const { body } = await callApi(system, 'POST', path, { headers: asOwner(owner) });
  await fixture.ownerSends(owner.keypair, z.string().parse(body['txBase64']));
  await waitUntil('the session to be known as revoked', () =>
    fixture.db.exists(sql.unsafe`
      select 1 from session
      where session_id = ${session.sessionId}::uuid and status = 'revoked'
    `),
  );
  return session;
}

/** Returns an API key that has been rotated. */
export async function createRotated({ system }: Target, owner: HttpOwner): Promise<string> {
  const { sessionId, apiKey } = await owner.createSession({ recipients: [] });
  const path = `/v1/session/${sessionId}/rotate-key`;
  await callApi(system, 'POST', path, { headers: asOwner(owner) });
  return apiKey;
}

/** Returns an unused address. */
export const newAddress = (): string => Keypair.generate().publicKey.toBase58();
