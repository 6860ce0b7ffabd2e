/** Sign-in step by step, for rows about its steps. */
import { ed25519 } from '@noble/curves/ed25519.js';
import type { Keypair } from '@solana/web3.js';
import type { HttpAnswer } from '../support/http-owner.ts';
import { call } from './world.ts';

export type Challenge = { readonly nonce: string; readonly message: string };

export async function askNonce(): Promise<Challenge> {
  const { nonce, message } = (await call('POST', '/v1/auth/siws/nonce', { body: {} })).body;
  return { nonce: String(nonce), message: String(message) };
}

/** What this wallet is asked to sign. */
export const textFor = ({ publicKey }: Keypair, { message }: Challenge): string =>
  message.replace('{pubkey}', publicKey.toBase58());

/** Base64 of a wallet's signature. */
export function sign(content: string | Uint8Array, { secretKey }: Keypair): string {
  const signature = ed25519.sign(Buffer.from(content), secretKey.subarray(0, 32));
  return Buffer.from(signature).toString('base64');
}

/** Exchanges a signature, by default the right one, for the cookie. */
export const exchange = (
  keypair: Keypair,
  challenge: Challenge,
  signature = sign(textFor(keypair, challenge), keypair),
): Promise<HttpAnswer> =>
  call('POST', '/v1/auth/siws', {
    body: { pubkey: keypair.publicKey.toBase58(), nonce: challenge.nonce, signature },
  });

export const cookieOf = ({ headers }: HttpAnswer): string =>
  headers.get('set-cookie')?.split(';')[0] ?? '';
