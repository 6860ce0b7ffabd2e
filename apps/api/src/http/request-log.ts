import type { FastifyRequest } from 'fastify';

/** Ids have 36 characters; a longer part may be a key in the wrong place. */
const MAX_PART_CHARS = 40;

/** A request as it is logged: without its query and without long parts of its path. */
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
  const parts = path.split('/').map((part) => (part.length > MAX_PART_CHARS ? '[cut]' : part));
  return { method, path: parts.join('/'), remoteAddress: ip };
}
