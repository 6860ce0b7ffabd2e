import type { FastifyRequest } from 'fastify';

/** Ids have 36 characters; what is longer may be a key in a place where it does not belong. */
const LONGEST_PART = 40;

/**
 * A request as a log line may show it: without its query, and without long parts of its path,
 * because people put keys there.
 */
export function describeRequest({
  method,
  url,
  ip,
}: Pick<FastifyRequest, 'method' | 'url' | 'ip'>): {
  readonly method: string;
  readonly path: string;
  readonly remoteAddress: string;
} {
  const [path = ''] = url.split(/[?#]/, 1);
  const parts = path.split('/').map((part) => (part.length > LONGEST_PART ? '[cut]' : part));
  return { method, path: parts.join('/'), remoteAddress: ip };
}
