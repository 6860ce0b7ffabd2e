import { randomBytes } from 'node:crypto';
import {
  decodeAddress,
  decodeSignature,
  emptyBody,
  nonceAnswer,
  signInAnswer,
  signInBody,
  signOutAnswer,
} from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import {
  type OwnerAuth,
  refuseForeignPage,
  SESSION_COOKIE,
} from '../../auth/authenticate-owner.ts';
import type { OwnerTokens } from '../../auth/owner-token.ts';
import { addressKey } from '../../auth/address-key.ts';
import { cookieAttributes } from '../../auth/session-cookie.ts';
import { PUBKEY_PLACEHOLDER, signInMessage, type SignInSite } from '../../auth/sign-in-message.ts';
import {
  burnNonce,
  endOwnerSession,
  insertNonce,
  insertOwnerSession,
} from '../../auth/sign-in-store.ts';
import { isOnCurve, isSignedBy } from '../../auth/verify-signature.ts';
import type { RateLimiter } from '../../limits/rate.ts';
import { badRequest, rateLimited, refuse, REFUSALS } from '../../http/http-refusal.ts';

type AuthRoutesDeps = {
  readonly db: Database;
  readonly site: SignInSite;
  readonly tokens: OwnerTokens;
  readonly owners: OwnerAuth;
  readonly limitNonce: RateLimiter;
  readonly limitSignIn: RateLimiter;
};

const NONCE_BYTES = 16;

/** Sign-in with a wallet's signature, and sign-out. */
export function authRoutes(deps: AuthRoutesDeps): FastifyPluginAsyncZod {
  const { db, site, tokens, owners } = deps;
  return async (app) => {
    app.post(
      '/v1/auth/siws/nonce',
      {
        config: {
          doc: {
            tag: 'Sign-in',
            caller: 'anybody',
            summary: 'Create a nonce for a sign-in',
            description:
              "The owner's wallet signs `message` with its address in place of `{pubkey}`. The nonce is valid for five minutes and for one attempt, successful or not.",
            errors: ['RATE_LIMITED'],
          },
        },
        schema: { body: emptyBody, response: { 200: nonceAnswer, ...REFUSALS } },
        onRequest: limitBy(deps.limitNonce),
      },
      async () => {
        const nonce = randomBytes(NONCE_BYTES).toString('hex');
        const expiresAt = await insertNonce(db, nonce);
        const message = signInMessage(site, PUBKEY_PLACEHOLDER, nonce);
        return { nonce, message, expires_at: expiresAt.toISOString() };
      },
    );

    app.post(
      '/v1/auth/siws',
      {
        config: {
          doc: {
            tag: 'Sign-in',
            caller: 'anybody',
            summary: 'Sign in with a wallet signature',
            description:
              'Sets the cookie `svc_session` for twelve hours. Also accepts the envelopes that Ledger devices sign in place of the text.',
            errors: ['INVALID_NONCE', 'INVALID_SIGNATURE', 'ORIGIN_NOT_ALLOWED', 'RATE_LIMITED'],
          },
        },
        schema: { body: signInBody, response: { 200: signInAnswer, ...REFUSALS } },
        onRequest: [
          limitBy(deps.limitSignIn),
          async (request) => refuseForeignPage(request, site.dashboardOrigin),
        ],
      },
      async (request, reply) => {
        const { pubkey, nonce } = request.body;
        const ownerKey = decodeAddress(pubkey);
        const signature = decodeSignature(request.body.signature);
        if (ownerKey === null || signature === null) throw badRequest('body is not valid');
        if (!isOnCurve(ownerKey)) throw badRequest('pubkey must be a point on the ed25519 curve');
        // Used up before the signature is verified: a nonce allows one attempt, successful or not.
        if (!(await burnNonce(db, nonce))) throw refuse('INVALID_NONCE');
        if (!isSignedBy(ownerKey, signInMessage(site, pubkey, nonce), signature)) {
          throw refuse('INVALID_SIGNATURE');
        }
        const { ownerSessionId, expiresAt } = await insertOwnerSession(db, pubkey);
        const jwt = await tokens.sign({ owner: pubkey, ownerSessionId }, expiresAt);
        const attributes = cookieAttributes(site.dashboardOrigin, request.hostname);
        reply.setCookie(SESSION_COOKIE, jwt, { ...attributes, expires: expiresAt });
        return { pubkey, expires_at: expiresAt.toISOString() };
      },
    );

    app.post(
      '/v1/auth/logout',
      {
        config: {
          doc: {
            tag: 'Sign-in',
            caller: 'owner',
            summary: 'Sign out',
            description: 'Invalidates the cookie on the server.',
          },
        },
        schema: { body: emptyBody, response: { 200: signOutAnswer, ...REFUSALS } },
        onRequest: owners.authenticate,
      },
      async (request, reply) => {
        await endOwnerSession(db, owners.ownerOf(request).ownerSessionId);
        reply.clearCookie(SESSION_COOKIE, cookieAttributes(site.dashboardOrigin, request.hostname));
        return { signed_out: true as const };
      },
    );
  };
}

const limitBy = (limit: RateLimiter) => async (request: { readonly ip: string }) => {
  const retryAfterSeconds = await limit(addressKey(request.ip));
  if (retryAfterSeconds !== null) throw rateLimited(retryAfterSeconds);
};
