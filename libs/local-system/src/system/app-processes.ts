import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { DatabaseUrls } from '../postgres/database-logins.ts';

/** The kinds of process that make up the system. */
export type Role = 'api' | 'tx-worker' | 'confirm-worker' | 'dashboard' | 'facilitator';

/** One process of the system, started as `node <entry>`. */
export interface ProcessSpec {
  /** Unique: the role, for the second and later workers of a role with `-2`, `-3`, … */
  readonly name: string;
  readonly role: Role;
  readonly entry: string;
  /** The variable that sets the port on which it serves /livez and /readyz. */
  readonly portVariable: 'PORT' | 'METRICS_PORT';
  /** It serves /metrics on a port of its own, `METRICS_PORT`, besides `PORT`. */
  readonly hasMetricsPort?: true;
  /** 0 or absent: a free port. */
  readonly port?: number;
  readonly env: Readonly<Record<string, string>>;
  /** The path that returns 200 once it has started; absent: /readyz. */
  readonly startedAt?: '/livez' | '/readyz';
  /** A script that must have run before it starts, such as a build; its output is shown. */
  readonly preparedBy?: string;
}

/** The settings that all processes of one system share. */
export interface Surroundings {
  /** Each process logs in as its own role. */
  readonly databaseUrls: DatabaseUrls;
  readonly redisUrl: string | undefined;
  readonly programId: string;
  readonly usdcMint: string;
  readonly rpcUrl: string;
  /** The RPC endpoint that browsers may use, of the embedded chain; undefined for another chain. */
  readonly publicRpcUrl: string | undefined;
  /** Base58 secret keys; only the tx-worker gets them. */
  readonly feePayerKeys: readonly string[];
  readonly apiPort: number;
  readonly dashboardPort: number;
  readonly workers: { readonly tx: number; readonly confirm: number };
  readonly yieldEnabled: boolean;
  /** Origins of services on this machine that may be paid. */
  readonly loopbackServices: readonly string[];
}

/**
 * The processes of the real system in the order of their start, each with exactly the variables
 * that it needs: the secrets of one process are not in the environment of another. Secrets are
 * generated anew for each call.
 */
export function appProcesses(surroundings: Surroundings): ProcessSpec[] {
  const txWorkerSecrets = {
    KEYSTORE_KEY: randomBytes(32).toString('base64'),
    FEE_PAYER_KEYS: JSON.stringify(surroundings.feePayerKeys),
  };
  const txWorkers = namesOf('tx-worker', surroundings.workers.tx).map((name) => ({
    ...worker(surroundings, 'tx-worker', name),
    env: {
      ...common(surroundings, 'tx-worker'),
      ...txWorkerSecrets,
      SESSION_KEYS_AHEAD: '64',
      LANE_DEPTH: '96',
    },
  }));
  const webhooks = {
    WEBHOOK_KEY: randomBytes(32).toString('base64'),
    LOOPBACK_SERVICES: surroundings.loopbackServices.join(','),
  };
  const confirmWorkers = namesOf('confirm-worker', surroundings.workers.confirm).map((name) => ({
    ...worker(surroundings, 'confirm-worker', name),
    env: { ...common(surroundings, 'confirm-worker'), ...webhooks },
  }));
  return [...txWorkers, ...confirmWorkers, api(surroundings)];
}

function namesOf(role: Role, count: number): string[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? role : `${role}-${index + 1}`));
}

function worker(
  surroundings: Surroundings,
  role: 'tx-worker' | 'confirm-worker',
  name: string,
): ProcessSpec {
  const env = common(surroundings, role);
  return { name, role, entry: entryOf(role), portVariable: 'METRICS_PORT', env };
}

function api(surroundings: Surroundings): ProcessSpec {
  const { publicRpcUrl } = surroundings;
  return {
    name: 'api',
    role: 'api',
    entry: entryOf('api'),
    portVariable: 'PORT',
    hasMetricsPort: true,
    port: surroundings.apiPort,
    env: {
      ...common(surroundings, 'api'),
      HOST: '127.0.0.1',
      DASHBOARD_ORIGIN: `http://localhost:${surroundings.dashboardPort}`,
      COOKIE_SECRET: randomBytes(32).toString('base64'),
      API_KEY_PEPPER: randomBytes(32).toString('base64'),
      // Everyone here shares one address, so the limit per address must let many owners in.
      SIGN_IN_PER_MINUTE: '3000',
      AGENT_EXTENSIONS: 'true',
      LOOPBACK_SERVICES: surroundings.loopbackServices.join(','),
      ...(publicRpcUrl === undefined ? {} : { PUBLIC_RPC_URL: publicRpcUrl }),
      YIELD_ENABLED: String(surroundings.yieldEnabled),
    },
  };
}

/** The owner's page on its own origin; no other process needs it. */
export function dashboardProcess(surroundings: Surroundings): ProcessSpec {
  const { apiPort, dashboardPort, programId, usdcMint, publicRpcUrl } = surroundings;
  return {
    name: 'dashboard',
    role: 'dashboard',
    entry: entryOf('dashboard'),
    portVariable: 'PORT',
    port: dashboardPort,
    preparedBy: fileURLToPath(
      new URL('../../../../apps/dashboard/src/build/main.ts', import.meta.url),
    ),
    env: {
      HOST: '127.0.0.1',
      // The page's host name: browsers then send the owner's cookie.
      API_URL: `http://localhost:${apiPort}`,
      PROGRAM_ID: programId,
      USDC_MINT: usdcMint,
      ...(publicRpcUrl === undefined
        ? {}
        : { PUBLIC_RPC_URL: publicRpcUrl, YIELD_RESERVE: 'local' }),
      LOG_LEVEL: 'info',
    },
  };
}

/** The x402 facilitator of the paid services; the wallet itself does not need it. */
export function facilitatorProcess(
  { programId, usdcMint, rpcUrl }: Surroundings,
  { port, feePayerKey }: { readonly port: number; readonly feePayerKey: string },
): ProcessSpec {
  return {
    name: 'facilitator',
    role: 'facilitator',
    entry: entryOf('facilitator'),
    portVariable: 'METRICS_PORT',
    env: {
      HOST: '127.0.0.1',
      PORT: String(port),
      RPC_URL: rpcUrl,
      PROGRAM_ID: programId,
      USDC_MINT: usdcMint,
      FEE_PAYER_KEYS: JSON.stringify([feePayerKey]),
      LOG_LEVEL: 'info',
    },
  };
}

function common(
  surroundings: Surroundings,
  role: 'api' | 'tx-worker' | 'confirm-worker',
): Record<string, string> {
  const { databaseUrls, redisUrl, programId, usdcMint, rpcUrl } = surroundings;
  return {
    DATABASE_URL: databaseUrls[role],
    ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
    RPC_URL: rpcUrl,
    PROGRAM_ID: programId,
    USDC_MINT: usdcMint,
    LOG_LEVEL: 'info',
    PG_POOL_SIZE: '20',
  };
}

function entryOf(role: Role): string {
  return fileURLToPath(new URL(`../../../../apps/${role}/src/main.ts`, import.meta.url));
}
