import type { Database } from '@agent-wallet/db';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../http/http-refusal.ts';
import type { OwnerToken, OwnerTokens } from './owner-token.ts';
import { takeRequest } from './quota.ts';
import type { TokenBuckets } from '../limits/rate.ts';
import { isOwnerSessionOpen } from './sign-in-store.ts';

export const SESSION_COOKIE = 'svc_session';

export type OwnerAuth = {
  /** Runs before the body is read: 401, then 403 for a foreign page, then 429. */
  readonly authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** The owner of an authenticated request. */
  readonly ownerOf: (request: FastifyRequest) => OwnerToken;
};

/** Authenticates owners by cookie: a JWT whose server-side session must still be open. */
export function createOwnerAuth(deps: {
  readonly db: Database;
  readonly tokens: OwnerTokens;
  readonly buckets: TokenBuckets;
  readonly dashboardOrigin: string;
}): OwnerAuth {
  const owners = new WeakMap<FastifyRequest, OwnerToken>();
  return {
    authenticate: async (request, reply) => {
      const jwt = request.cookies[SESSION_COOKIE];
      if (jwt === undefined) {
        // An agent key on an owner route is an invalid token, not a missing one.
        const hasOtherToken = request.headers.authorization !== undefined;
        throw refuse(hasOtherToken ? 'INVALID_JWT' : 'MISSING_SESSION_COOKIE');
      }
      const token = await deps.tokens.read(jwt);
      if (token === null) throw refuse('INVALID_JWT');
      if (!(await isOwnerSessionOpen(deps.db, token.ownerSessionId, token.owner))) {
        throw refuse('INVALID_JWT');
      }
      refuseForeignPage(request, deps.dashboardOrigin);
      await takeRequest({ buckets: deps.buckets, policy: 'owner' }, token.owner, reply);
      owners.set(request, token);
    },
    ownerOf: (request) => {
      const owner = owners.get(request);
      if (owner === undefined) throw new Error('the route does not authenticate owners');
      return owner;
    },
  };
}

/** Refuses state-changing requests from other origins. Clients that are not browsers send none. */
export function refuseForeignPage(request: FastifyRequest, dashboardOrigin: string): void {
  const { origin } = request.headers;
  const changesState = request.method !== 'GET' && request.method !== 'HEAD';
  if (changesState && origin !== undefined && origin !== dashboardOrigin) {
    throw refuse('ORIGIN_NOT_ALLOWED');
  }
}
