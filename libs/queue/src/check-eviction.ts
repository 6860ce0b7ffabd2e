import { Cluster, type Redis } from 'ioredis';

const NEEDED = 'noeviction';

/**
 * Throws when Redis may drop keys of the queue. A server that does not say so is only reported. From
 * INFO, because managed services forbid CONFIG.
 */
export async function checkEviction(
  redis: Redis | Cluster,
  onError: (error: Error) => void,
): Promise<void> {
  const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
  for (const node of nodes) {
    const policy = await readPolicy(node);
    if (policy === NEEDED) continue;
    if (policy === null) {
      onError(new Error(`Redis does not show its maxmemory-policy; it must be ${NEEDED}`));
      continue;
    }
    throw new Error(
      `the maxmemory-policy of Redis is ${policy}, so it may drop jobs: set it to ${NEEDED}`,
    );
  }
}

/** The policy, or null where the server does not show it. */
async function readPolicy(node: Redis): Promise<string | null> {
  return /^maxmemory_policy:(\S+)/m.exec(await node.info('memory'))?.[1] ?? null;
}
