import { Keypair, PublicKey, Transaction } from '@solana/web3.js';
import { expect, inject } from 'vitest';
import { z } from 'zod';
import { createChainView } from '../../apps/local/src/demo/cast/chain-view.ts';
import {
  type Api,
  callApi,
  type CallOptions,
  createHttpOwner,
  type HttpAnswer,
  type HttpOwner,
  type HttpSession,
  signIn,
} from '../support/http/http-owner.ts';

/** The addresses of the running system. */
export const world = inject('world');

/** The chain as an RPC node shows it. */
export const chain = createChainView(world, new AbortController().signal);

const OWNER_LAMPORTS = 1_000_000_000;

type Method = Parameters<typeof callApi>[1];

/** A call to the api as a deployment runs it. */
export const call = (method: Method, path: string, options?: CallOptions): Promise<HttpAnswer> =>
  callApi(world, method, path, options);

/** The same to an api with other settings. */
export const callOther = (
  name: keyof typeof world.apis,
  method: Method,
  path: string,
  options?: CallOptions,
): Promise<HttpAnswer> => callApi(apiAt(world.apis[name]), method, path, options);

const apiAt = (url: string): Api => ({ urls: { api: url } });

/** Test money over HTTP. */
export const faucet = {
  sol: (address: PublicKey, lamports: number) => give({ address, lamports }),
  usdc: (address: PublicKey, amount: bigint) => give({ address, usdc: amount.toString() }),
};

async function give(gift: { address: PublicKey; lamports?: number; usdc?: string }) {
  const { pathname, origin } = new URL(world.urls.faucet);
  const body = { ...gift, address: gift.address.toBase58() };
  const answer = await callApi(apiAt(origin), 'POST', pathname, { body });
  if (answer.status !== 200) throw new Error(`the faucet: ${JSON.stringify(answer.body)}`);
  return String(answer.body['signatures']);
}

type SessionLimits = Parameters<HttpOwner['createSession']>[0];

/** The agent of a session, with the session's key. */
export type Agent = HttpSession & {
  call(
    method: Method,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<HttpAnswer>;
  /** POST /v1/spend/transfer to the session's recipient; `body` replaces or adds fields. */
  pay(amount: unknown, body?: object, headers?: Record<string, string>): Promise<HttpAnswer>;
  /** GET /v1/yield/position. */
  position(): Promise<HttpAnswer>;
};

/** An owner with a vault. */
export type Owner = HttpOwner & {
  call(method: Method, path: string, body?: unknown): Promise<HttpAnswer>;
  /** Requests a transaction, which is all that comes back, signs it and sends it. */
  act(method: Method, path: string, body?: object): Promise<string>;
  /** One page of the owner's audit log. */
  audit(query?: string): Promise<Items>;
  /** A session that may pay these recipients, of which the first is paid by default. */
  openAgent(
    recipients: string | readonly string[],
    limits?: Partial<SessionLimits>,
  ): Promise<Agent>;
  /** The session as its owner reads it. */
  readSession(sessionId: string): Promise<HttpAnswer['body']>;
  /** Issues a new key for a session and returns it. */
  rotate(session: HttpSession): Promise<string>;
  /** Revokes a session on chain. */
  revoke(session: HttpSession): Promise<string>;
};

/** A new owner with a vault that holds so many base units. */
export async function newOwner(usdc = 10_000_000n): Promise<Owner> {
  const owner = await createHttpOwner({ ...world, faucet }, { ownerSends }, usdc);
  const request = (method: Method, path: string, body?: unknown) =>
    asOwner(owner, method, path, body);
  const act: Owner['act'] = async (method, path, body) => {
    const answer = await request(method, path, body);
    expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['txBase64']]);
    return ownerSends(owner.keypair, String(answer.body['txBase64']));
  };
  return {
    ...owner,
    call: request,
    act,
    audit: async (query = '') => itemsOf((await request('GET', `/v1/audit?${query}`)).body),
    openAgent: async (listed, limits = {}) => {
      const recipients = typeof listed === 'string' ? [listed] : listed;
      const session = await owner.createSession({ recipients, ...limits });
      return { ...session, ...agentWith(session.apiKey, recipients[0]) };
    },
    readSession: async (sessionId) => (await request('GET', `/v1/session/${sessionId}`)).body,
    rotate: async ({ sessionId }) =>
      String((await request('POST', `/v1/session/${sessionId}/rotate-key`)).body['api_key']),
    revoke: ({ sessionId }) => act('POST', `/v1/session/${sessionId}/revoke`),
  };
}

/** What an agent can do with a key. */
export function agentWith(
  apiKey: string,
  recipient?: string,
): Pick<Agent, 'call' | 'pay' | 'position'> {
  const request: Agent['call'] = (method, path, body, headers = {}) =>
    call(method, path, {
      headers: { ...bearer(apiKey), ...headers },
      ...(body === undefined ? {} : { body }),
    });
  return {
    call: request,
    pay: (amount, body = {}, headers = {}) =>
      request('POST', '/v1/spend/transfer', { recipient, amount, ...body }, headers),
    position: () => request('GET', '/v1/yield/position'),
  };
}

/** An owner with USDC, a recipient with a token account, and a session that may pay it. */
export async function newSpender(
  usdc = 3_000_000n,
  limits: Partial<SessionLimits> = {},
): Promise<{ readonly owner: Owner; readonly agent: Agent; readonly recipient: string }> {
  const [owner, recipient] = await Promise.all([newOwner(usdc), newRecipient()]);
  return { owner, recipient, agent: await owner.openAgent(recipient, limits) };
}

/** A refusal with this status and text, and at least these fields. */
export const refused = (status: number, error: string | RegExp, fields: object = {}) => ({
  status,
  body: { error: typeof error === 'string' ? error : expect.stringMatching(error), ...fields },
});

/** A refusal of the program with this code. */
export const refusedOnChain = (code: string, fields: object = {}) =>
  refused(402, 'on-chain submission failed', {
    layer: 'on-chain',
    code,
    detail: expect.stringContaining(code),
    ...fields,
  });

/** Signs as the owner, sends, waits until it is confirmed. */
export const ownerSends = async (owner: Keypair, txBase64: string): Promise<string> => {
  const transaction = Transaction.from(Buffer.from(txBase64, 'base64'));
  transaction.sign(owner);
  return chain.send(transaction.serialize());
};

/** An address with a USDC token account that holds one base unit. */
export async function newRecipient(): Promise<string> {
  const { publicKey } = Keypair.generate();
  await faucet.usdc(publicKey, 1n);
  return publicKey.toBase58();
}

/** An unused address. */
export const newAddress = (): string => Keypair.generate().publicKey.toBase58();

/** A signed-in owner without a vault, with enough SOL to create one. */
export async function newSignedIn(lamports = OWNER_LAMPORTS) {
  const keypair = Keypair.generate();
  await faucet.sol(keypair.publicKey, lamports);
  return { keypair, cookie: await signIn(world, keypair) };
}

/** The header of an agent. */
export const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });

/** A call with an owner's cookie. */
export const asOwner = (
  owner: Pick<HttpOwner, 'cookie'>,
  method: Method,
  path: string,
  body?: unknown,
): Promise<HttpAnswer> =>
  call(method, path, {
    headers: { cookie: owner.cookie },
    ...(body === undefined ? {} : { body }),
  });

/** POST /v1/session; the owner has not signed the session yet. */
export const createUnsigned = (
  owner: Pick<HttpOwner, 'cookie' | 'walletId'>,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<HttpAnswer> =>
  asOwner(owner, 'POST', '/v1/session', {
    wallet_id: owner.walletId,
    max_per_tx: 1_000_000,
    daily_cap: 2_000_000,
    expiry: 4_000_000_000,
    allowed_recipients: [],
    allowed_instructions: 1,
    ...fields,
  });

/** The items of a list. */
export const itemsOf = (body: unknown): Items => z.object({ items }).parse(body).items;

const items = z.array(z.record(z.string(), z.unknown()));
export type Items = z.output<typeof items>;
