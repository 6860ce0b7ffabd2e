/** Sign-in over HTTP, step by step and as a whole. */
import { ed25519 } from '@noble/curves/ed25519.js';
import type { Keypair } from '@solana/web3.js';
import { z } from 'zod';
import { type Api, callApi, type HttpAnswer } from './call-api.ts';

const challengeAnswer = z.object({ nonce: z.string(), message: z.string() });

export type Challenge = z.output<typeof challengeAnswer>;

export async function requestNonce(api: Api): Promise<Challenge> {
  return challengeAnswer.parse(
    (await callApi(api, 'POST', '/v1/auth/siws/nonce', { body: {} })).body,
  );
}

/** The text that this wallet must sign. */
export const textFor = (
  { publicKey }: Pick<Keypair, 'publicKey'>,
  { message }: Challenge,
): string => message.replace('{pubkey}', publicKey.toBase58());

/** Base64 of a wallet's signature. */
export function sign(content: string | Uint8Array, { secretKey }: Keypair): string {
  const signature = ed25519.sign(Buffer.from(content), secretKey.subarray(0, 32));
  return Buffer.from(signature).toString('base64');
}

/** Exchanges a signature, by default a valid one, for the cookie. */
export const exchange = (
  api: Api,
  keypair: Keypair,
  challenge: Challenge,
  signature = sign(textFor(keypair, challenge), keypair),
): Promise<HttpAnswer> =>
  callApi(api, 'POST', '/v1/auth/siws', {
    body: { pubkey: keypair.publicKey.toBase58(), nonce: challenge.nonce, signature },
  });

/** The cookie of a reply as a header value; empty when none was set. */
export const cookieOf = ({ headers }: HttpAnswer): string =>
  headers.get('set-cookie')?.split(';')[0] ?? '';

/** Signs in with a wallet's key and returns the cookie as a header value. */
export async function signIn(api: Api, keypair: Keypair): Promise<string> {
  const signedIn = await exchange(api, keypair, await requestNonce(api));
  const cookie = cookieOf(signedIn);
  if (cookie === '') throw new Error(`not signed in: ${JSON.stringify(signedIn.body)}`);
  return cookie;
}
