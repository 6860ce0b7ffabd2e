import { Keypair, PublicKey } from '@solana/web3.js';
import { inject } from 'vitest';
import { z } from 'zod';
import { createChainView } from '../../apps/local/src/demo/cast/chain-view.ts';
import {
  type Api,
  callApi,
  type CallOptions,
  createHttpOwner,
  type HttpAnswer,
  type HttpOwner,
} from '../support/http/http-owner.ts';

/** The running system as anybody sees it: its addresses, and nothing inside. */
export const world = inject('world');

/** What an RPC node shows and takes. */
export const chain = createChainView(world, new AbortController().signal);

export type { HttpAnswer } from '../support/http/http-owner.ts';

const OWNER_LAMPORTS = 1_000_000_000;

type Method = Parameters<typeof callApi>[1];

/** A call to the api that a deployment runs. */
export const call = (method: Method, path: string, options?: CallOptions): Promise<HttpAnswer> =>
  callApi(world, method, path, options);

/** The same to one of the odd ones. */
export const callOther = (
  name: keyof typeof world.apis,
  method: Method,
  path: string,
  options?: CallOptions,
): Promise<HttpAnswer> => callApi(apiAt(world.apis[name]), method, path, options);

const apiAt = (url: string): Api => ({ urls: { api: url } });

/** Worthless money over HTTP. */
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

/** A new owner with a vault that holds so many base units. */
export const newOwner = (usdc = 10_000_000n): Promise<HttpOwner> =>
  createHttpOwner({ ...world, faucet }, { ownerSends }, usdc);

/** Signs as the owner, sends, waits until it is confirmed. */
export const ownerSends = (owner: Keypair, txBase64: string): Promise<string> =>
  chain.signAndSend(txBase64, owner);

/** An address with a USDC token account that holds one base unit. */
export async function newRecipient(): Promise<string> {
  const { publicKey } = Keypair.generate();
  await faucet.usdc(publicKey, 1n);
  return publicKey.toBase58();
}

/** An address that nobody has used. */
export const newAddress = (): string => Keypair.generate().publicKey.toBase58();

/** A wallet's key with enough SOL for an owner. */
export async function newFundedKeypair(): Promise<Keypair> {
  const keypair = Keypair.generate();
  await faucet.sol(keypair.publicKey, OWNER_LAMPORTS);
  return keypair;
}

/** The header of an agent. */
export const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });

/** POST /v1/spend/transfer. */
export const transfer = (
  apiKey: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<HttpAnswer> =>
  call('POST', '/v1/spend/transfer', { body, headers: { ...bearer(apiKey), ...headers } });

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

/** An owner's session, not yet signed by the owner. */
export async function createUnsigned(
  owner: Pick<HttpOwner, 'cookie' | 'walletId'>,
  wish: Readonly<Record<string, unknown>> = {},
): Promise<HttpAnswer> {
  return asOwner(owner, 'POST', '/v1/session', {
    wallet_id: owner.walletId,
    max_per_tx: 1_000_000,
    daily_cap: 2_000_000,
    expiry: 4_000_000_000,
    allowed_recipients: [],
    allowed_instructions: 1,
    ...wish,
  });
}

/** The session as its owner reads it. */
export const readSession = async (
  owner: Pick<HttpOwner, 'cookie'>,
  sessionId: string,
): Promise<HttpAnswer['body']> => (await asOwner(owner, 'GET', `/v1/session/${sessionId}`)).body;

/** The owner takes a session back on chain; resolves when the chain has it. */
export async function revoke(owner: HttpOwner, sessionId: string): Promise<string> {
  const { body } = await asOwner(owner, 'POST', `/v1/session/${sessionId}/revoke`);
  return ownerSends(owner.keypair, String(body['txBase64']));
}

/** GET /v1/yield/position with an agent's key. */
export const readPosition = (apiKey: string): Promise<HttpAnswer> =>
  call('GET', '/v1/yield/position', { headers: bearer(apiKey) });

/** One page of an owner's audit log. */
export const auditOf = async (owner: Pick<HttpOwner, 'cookie'>, query = ''): Promise<Items> =>
  itemsOf((await asOwner(owner, 'GET', `/v1/audit?${query}`)).body);

/** What a list holds. */
export const itemsOf = (body: unknown): Items => z.object({ items }).parse(body).items;

const items = z.array(z.record(z.string(), z.unknown()));
type Items = z.output<typeof items>;
