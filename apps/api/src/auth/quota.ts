import type { FastifyReply } from 'fastify';
import { rateLimited } from '../http/http-refusal.ts';
import type { Quota, TokenBuckets } from '../limits/rate.ts';

/**
 * Takes one request of `key` from its quota, and tells the caller of both in the fields of the
 * IETF's draft "RateLimit header fields for HTTP". Throws 429 when the quota is used up.
 */
export async function takeRequest(
  { buckets, policy }: { readonly buckets: TokenBuckets; readonly policy: 'session' | 'owner' },
  key: string,
  reply: FastifyReply,
): Promise<void> {
  const quota = await buckets(key);
  reply.headers(headersOf(policy, quota));
  if (quota.retryAfterSeconds !== null) throw rateLimited(quota.retryAfterSeconds);
}

const headersOf = (policy: string, quota: Quota) => ({
  'ratelimit-policy': `"${policy}";q=${quota.burst};w=${quota.windowSeconds}`,
  ratelimit: `"${policy}";r=${quota.remaining};t=${quota.resetSeconds}`,
});
