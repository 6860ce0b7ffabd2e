import { listenOnLoopback } from '@agent-wallet/local-system/chain/server/listen.ts';
import { createLink, type Link } from './link.ts';
import { listenOnFreePort } from './listen.ts';

/** What a process is connected to. */
export const PARTNERS = ['Postgres', 'chain', 'queue'] as const;
export type Partner = (typeof PARTNERS)[number];

/** How a silence ends: all packets pass again, or only those of new connections. */
export type Ending = 'healed' | 'replaced';

/** The links of one process to its partners. */
export type ProcessLinks = AsyncDisposable & {
  /** The URL of a store, or of the chain's RPC, through this process's link. */
  readonly databaseUrl: (direct: string) => string;
  readonly redisUrl: (direct: string) => string;
  readonly rpcUrl: (direct: string) => string;
  /** Nothing passes between the process and the partner from now on. */
  silence(partner: Partner): void;
  end(ending: Ending): void;
};

/** BullMQ's connections to Postgres begin with this setting. */
const OPENS_QUEUE = 'search_path=bullmq';

/** Opens the links of a process, before its partners are known. */
export async function openLinks(): Promise<ProcessLinks> {
  await using stack = new AsyncDisposableStack();
  const database = createTargetedLink(0);
  const redis = createTargetedLink(0);
  const rpc = createTargetedLink(0);
  // A node's WebSocket is on the next port.
  const socket = createTargetedLink(1);
  const ports = {
    database: await listenOnFreePort(database.link.server),
    redis: await listenOnFreePort(redis.link.server),
    rpc: await listenOnLoopback(rpc.link.server, socket.link.server),
  };
  const links = [database, redis, rpc, socket].map(({ link }) => link);
  for (const link of links) stack.defer(() => link.close());
  const all = stack.move();
  return {
    databaseUrl: (direct) => through(direct, ports.database, [database]),
    redisUrl: (direct) => through(direct, ports.redis, [redis]),
    rpcUrl: (direct) => through(direct, ports.rpc, [rpc, socket]),
    silence: (partner) => {
      switch (partner) {
        case 'Postgres':
          return database.link.fallSilent();
        case 'chain':
          rpc.link.fallSilent();
          return socket.link.fallSilent();
        case 'queue':
          redis.link.fallSilent();
          return database.link.fallSilent((opening) => opening.includes(OPENS_QUEUE));
      }
    },
    end: (ending) => {
      for (const link of links) {
        if (ending === 'healed') link.heal();
        else link.replace();
      }
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

type TargetedLink = { readonly link: Link; setTarget(url: URL): void };

/** A link whose target is set later; `portOffset` is added to the port of the target's URL. */
function createTargetedLink(portOffset: number): TargetedLink {
  let target: { host: string; port: number } | null = null;
  const link = createLink(() => {
    if (target === null) throw new Error('the link has no target');
    return target;
  });
  return {
    link,
    setTarget: ({ hostname, port }) => {
      target = { host: hostname, port: Number(port) + portOffset };
    },
  };
}

function through(direct: string, port: number, links: readonly TargetedLink[]): string {
  const url = new URL(direct);
  for (const link of links) link.setTarget(url);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}
