/** Sign-in step by step, for rows about its steps. */
import type { Keypair } from '@solana/web3.js';
import type { HttpAnswer } from '../support/http/http-owner.ts';
import * as steps from '../support/http/sign-in.ts';
import { world } from './world.ts';

export { cookieOf, sign, textFor } from '../support/http/sign-in.ts';

export const requestNonce = (): Promise<steps.Challenge> => steps.requestNonce(world);

/** Exchanges a signature, by default the right one, for the cookie. */
export const exchange = (
  keypair: Keypair,
  challenge: steps.Challenge,
  signature?: string,
): Promise<HttpAnswer> => steps.exchange(world, keypair, challenge, signature);
