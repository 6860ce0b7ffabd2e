/** Several Redis servers that work as one: a master that Sentinel watches, and a cluster. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { pickFreePort } from '@agent-wallet/local-system/process/free-port.ts';
import { waitUntil } from '../wait-until.ts';
import { type RedisServer, startRedis, startRedisProcess } from './redis-server.ts';

const SENTINELS = [1, 2, 3];
const NODES = [1, 2, 3];
const MASTER_NAME = 'mymaster';

type SentinelSet = {
  readonly url: string;
  /** Kills the master and waits until the replica is the master. */
  readonly failOver: () => Promise<void>;
};

/** Starts a master with a replica and three sentinels, to end with the stack. */
export async function startSentinelSet(stack: AsyncDisposableStack): Promise<SentinelSet> {
  const master = stack.use(await startRedis());
  const replica = stack.use(await startRedis(['--replicaof', '127.0.0.1', String(master.port)]));
  await waitUntil('the replica', async () =>
    (await ask(replica, (redis) => redis.info('replication'))).includes('master_link_status:up'),
  );
  const sentinels = await Promise.all(SENTINELS.map(() => startSentinel(master.port)));
  for (const sentinel of sentinels) stack.use(sentinel);
  await waitUntil('sentinels that know each other and the replica', async () => {
    const seen = await Promise.all(sentinels.map((one) => ask(one, readMaster)));
    return seen.every((text) => text.includes('slaves=1,sentinels=3'));
  });
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    url: `redis+sentinel://${hosts}/${MASTER_NAME}`,
    failOver: async () => {
      await master[Symbol.asyncDispose]();
      await waitUntil(
        'the new master',
        async () => {
          // Sentinel closes the connections of a server that it promotes.
          const role = await ask(replica, (redis) => redis.info('replication')).catch(() => '');
          return role.includes('role:master');
        },
        { timeoutMs: 60_000 },
      );
    },
  };
}

const readMaster = (sentinel: Redis): Promise<string> => sentinel.info('sentinel');

function startSentinel(masterPort: number): Promise<RedisServer> {
  return startRedisProcess((dir) => {
    const file = join(dir, 'sentinel.conf');
    const lines = [
      `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${masterPort} 2`,
      `sentinel down-after-milliseconds ${MASTER_NAME} 1000`,
      `sentinel failover-timeout ${MASTER_NAME} 5000`,
    ];
    writeFileSync(file, `${lines.join('\n')}\n`);
    return [file, '--sentinel'];
  });
}

const readState = (node: Redis): Promise<string> => node.cluster('INFO');

/** Starts a cluster of three nodes, to end with the stack. Returns its URL. */
export async function startCluster(stack: AsyncDisposableStack): Promise<string> {
  const servers: RedisServer[] = [];
  const nodes: string[] = [];
  for (const _ of NODES) {
    const busPort = await pickFreePort();
    const bus = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)];
    const files = ['--cluster-config-file', 'nodes.conf'];
    const server = stack.use(await startRedis([...bus, ...files]));
    servers.push(server);
    nodes.push(`127.0.0.1:${server.port}@${busPort}`);
  }
  await promisify(execFile)('redis-cli', ['--cluster', 'create', ...nodes, '--cluster-yes']);
  await waitUntil('nodes that know the whole cluster', async () => {
    const seen = await Promise.all(servers.map((one) => ask(one, readState)));
    return seen.every((text) => /cluster_state:ok[^]*cluster_known_nodes:3/.test(text));
  });
  return `redis+cluster://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
}

/** One answer of a server over a connection of its own. */
async function ask<Answer>(
  { port }: RedisServer,
  question: (redis: Redis) => Promise<Answer>,
): Promise<Answer> {
  const redis = new Redis(port, '127.0.0.1', { lazyConnect: true });
  try {
    await redis.connect();
    return await question(redis);
  } finally {
    redis.disconnect();
  }
}
