import { endsWithin, parseRedisUrl, type RedisAddress } from '@agent-wallet/process';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { CONNECT_TIMEOUT_MS, RESPONSE_TIMEOUT_MS, type Role } from './timeouts.ts';

/** Sentinel and a cluster need several round trips before the first command. */
const START_TIMEOUT_MS = 20_000;
const MOST_PAUSE_MS = 2_000;

/**
 * Connects to Redis. On a lost connection a producer fails fast, because the sweep covers a lost
 * nudge; a worker waits until the store is back. Throws when it is not there at start.
 */
export async function connectRedis(
  url: string,
  role: Role,
  onError: (error: Error) => void,
): Promise<Redis | Cluster> {
  const address = parseRedisUrl(url);
  if (address === null) throw new Error('REDIS_URL is not a Redis URL');
  const redis = createClient(address, role);
  let lastFault: Error | undefined;
  redis.on('error', (error: Error) => {
    lastFault = error;
    onError(error);
  });
  try {
    if (await endsWithin(connectionOf(redis), START_TIMEOUT_MS)) return redis;
  } catch (cause) {
    redis.disconnect();
    throw cause;
  }
  redis.disconnect();
  const sentence = `the Redis of REDIS_URL did not respond within ${START_TIMEOUT_MS} ms`;
  throw new Error(sentence, { cause: lastFault });
}

/** Resolves when commands can be sent. Of one server or a master, the first failure rejects. */
async function connectionOf(redis: Redis | Cluster): Promise<unknown> {
  if (!redis.isCluster) return redis.connect();
  // The promise of connect stays pending when the first look at the nodes fails and a later one does
  // not, as in a cluster that was just made.
  const ready = new Promise((resolve) => redis.once('ready', resolve));
  redis.connect().catch((error: unknown) => redis.emit('error', error));
  return ready;
}

function createClient(address: RedisAddress, role: Role): Redis | Cluster {
  const common = {
    ...(address.username === undefined ? {} : { username: address.username }),
    ...(address.password === undefined ? {} : { password: address.password }),
    maxRetriesPerRequest: role === 'worker' ? null : 1,
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS[role],
    socketTimeout: RESPONSE_TIMEOUT_MS[role],
    // A worker's commands wait while the store is away; a silent socket ends by its own timeout.
    ...(role === 'producer' ? { commandTimeout: RESPONSE_TIMEOUT_MS.producer } : {}),
  } satisfies RedisOptions;
  const enableOfflineQueue = role === 'worker';
  switch (address.kind) {
    case 'single': {
      const { node, database: db } = address;
      return new Redis({ ...common, ...tls(address, node.host), ...node, db, enableOfflineQueue });
    }
    case 'sentinel':
      return new Redis({
        ...common,
        ...tls(address),
        sentinels: address.sentinels.map((node) => ({ ...node })),
        name: address.masterName,
        db: address.database,
        enableOfflineQueue,
        enableTLSForSentinelMode: address.isTls,
        ...(address.isTls ? { sentinelTLS: {} } : {}),
        ...(address.sentinelPassword === undefined
          ? {}
          : { sentinelPassword: address.sentinelPassword }),
        sentinelCommandTimeout: RESPONSE_TIMEOUT_MS.producer,
        sentinelRetryStrategy: pauseMs,
        // A master that was demoted while connected refuses writes until the client asks again.
        reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
      });
    case 'cluster':
      return new Cluster(
        address.nodes.map((node) => ({ ...node })),
        {
          redisOptions: { ...common, ...tls(address) },
          lazyConnect: true,
          enableOfflineQueue,
          slotsRefreshTimeout: RESPONSE_TIMEOUT_MS.producer,
          clusterRetryStrategy: pauseMs,
          // With TLS the name must reach the check of the certificate, so it is not resolved here.
          ...(address.isTls ? { dnsLookup: (host, callback) => callback(null, host) } : {}),
        },
      );
  }
}

const tls = ({ isTls }: RedisAddress, servername?: string): Pick<RedisOptions, 'tls'> =>
  isTls ? { tls: servername === undefined ? {} : { servername } } : {};

const pauseMs = (times: number): number => Math.min(times * 100, MOST_PAUSE_MS);
