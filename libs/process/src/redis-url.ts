const MOST_NODES = 16;
const SENTINEL_PORT = 26_379;
const REDIS_PORT = 6_379;

type Node = { readonly host: string; readonly port: number };

/** Where the queue's Redis is and how to log in. */
export type RedisAddress = {
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly isTls: boolean;
} & (
  | { readonly kind: 'single'; readonly node: Node; readonly database: number }
  | {
      readonly kind: 'sentinel';
      readonly sentinels: readonly Node[];
      readonly masterName: string;
      readonly database: number;
      readonly sentinelPassword: string | undefined;
    }
  | { readonly kind: 'cluster'; readonly nodes: readonly Node[] }
);

const FORM =
  /^(?<scheme>rediss?(?:\+sentinel|\+cluster)?):\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/?@]+)(?:\/(?<path>[^?]*))?(?:\?sentinel_password=(?<sentinelPassword>[^&]+))?$/;

/**
 * Parses the URL of one server, of a master that Sentinel finds, or of a cluster; null for anything
 * else. `rediss` uses TLS for every connection.
 *
 * - `redis://user:password@host:6379/0`
 * - `redis+sentinel://user:password@host:26379,host2:26379/mymaster/0?sentinel_password=…`
 * - `redis+cluster://user:password@host:6379,host2:6379`
 */
export function parseRedisUrl(text: string): RedisAddress | null {
  const { scheme = '', hosts = '', path = '', ...parts } = FORM.exec(text)?.groups ?? {};
  const [protocol, kind = 'single'] = scheme.split('+');
  const nodes = parseNodes(hosts, kind === 'sentinel' ? SENTINEL_PORT : REDIS_PORT);
  const [node] = nodes ?? [];
  if (nodes === null || node === undefined) return null;
  const { user, password, sentinelPassword } = parts;
  if (sentinelPassword !== undefined && kind !== 'sentinel') return null;
  const login = {
    username: decoded(user),
    password: decoded(password),
    isTls: protocol === 'rediss',
  };
  switch (kind) {
    case 'cluster':
      return path === '' ? { ...login, kind, nodes } : null;
    case 'sentinel': {
      const [masterName = '', number = '', ...rest] = path.split('/');
      const database = parseDatabase(number);
      if (masterName === '' || rest.length > 0 || database === null) return null;
      const secret = decoded(sentinelPassword);
      return { ...login, kind, sentinels: nodes, masterName, database, sentinelPassword: secret };
    }
    default: {
      const database = parseDatabase(path);
      if (nodes.length > 1 || database === null) return null;
      return { ...login, kind: 'single', node, database };
    }
  }
}

function parseNodes(text: string, defaultPort: number): readonly Node[] | null {
  const nodes = text.split(',').map((host) => parseNode(host, defaultPort));
  const known = nodes.filter((node) => node !== null);
  return known.length === nodes.length && known.length <= MOST_NODES ? known : null;
}

function parseNode(text: string, defaultPort: number): Node | null {
  // As the host of an http URL, so that names, IPv4 and [IPv6] follow its rules.
  const url = URL.parse(`http://${text}`);
  if (url === null || url.hostname === '' || url.host === '' || url.pathname !== '/') return null;
  const port = /:(\d+)$/.exec(text)?.[1];
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: port === undefined ? defaultPort : Number(port) };
}

function parseDatabase(text: string): number | null {
  if (text === '') return 0;
  return /^\d{1,5}$/.test(text) ? Number(text) : null;
}

/** An empty part counts as left out. Text that is not percent-encoded stands for itself. */
function decoded(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
