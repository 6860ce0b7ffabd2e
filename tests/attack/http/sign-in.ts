import { ed25519 } from '@noble/curves/ed25519.js';
import type { Keypair } from '@solana/web3.js';
import { z } from 'zod';
import { type Api, callApi } from '../../support/http/http-owner.ts';

const challenge = z.object({ nonce: z.string(), message: z.string() });

/** What a wallet sends to sign in with a fresh nonce. */
export async function createSignIn(api: Api, { publicKey, secretKey }: Keypair) {
  const answer = await callApi(api, 'POST', '/v1/auth/siws/nonce', { body: {} });
  const { nonce, message } = challenge.parse(answer.body);
  const pubkey = publicKey.toBase58();
  const text = Buffer.from(message.replace('{pubkey}', pubkey), 'utf8');
  const signature = Buffer.from(ed25519.sign(text, secretKey.subarray(0, 32))).toString('base64');
  return { body: { pubkey, signature, nonce } };
}
