import type { DatabaseUrls } from '../postgres/database-logins.ts';
import type { ProcessSpec, Role, Surroundings } from './app-processes.ts';
import type { KeptSystem } from './kept-system.ts';
import type { Faucet } from '../faucet/faucet.ts';
import type { OwnCommand } from '../process/own-command.ts';
import type { LocalService } from '../paid-services/local-services.ts';
import type { ReserveMarket } from '../chain/reserve-market.ts';
import type { ProcessExit } from '../process/supervised-process.ts';

export interface StartSystemOptions {
  /** Port of the api; 0 or absent: a free one. */
  readonly apiPort?: number;
  /** Port of the owner's page; 0 or absent: a free one. */
  readonly dashboardPort?: number;
  /** Port of the faucet; 0 or absent: a free one. */
  readonly faucetPort?: number;
  /** Port of the paid services' facilitator; 0 or absent: a free one. */
  readonly facilitatorPort?: number;
  /** Opens services that agents can pay, on the embedded chain; off by default. */
  readonly paidServices?: boolean;
  /** Milliseconds per slot of the embedded chain; 400 as on a cluster. */
  readonly slotTimeMs?: number;
  /** For logs and the Postgres cluster; absent: a temporary folder, removed by `stop`. */
  readonly dataDir?: string;
  /**
   * Used instead of an embedded Postgres, and migrated. It must be new or belong to the same chain.
   * Its user owns the database and may create roles: each process gets a login of its own.
   */
  readonly databaseUrl?: string;
  /** Used instead of the embedded chain, with `programId` and `usdcMint` as deployed there. */
  readonly rpcUrl?: string;
  readonly programId?: string;
  readonly usdcMint?: string;
  /** Absent: the queue lives in Postgres. */
  readonly redisUrl?: string;
  /** Base58 secret keys of funded fee payers; absent: four new ones, funded by airdrop. */
  readonly feePayerKeys?: readonly string[];
  /** Continues the system that was kept there, or begins it: see kept-system.ts. */
  readonly keep?: KeptSystem;
  /** How many processes of each kind; 1 each by default, 0 leaves a kind out. */
  readonly workers?: { readonly tx?: number; readonly confirm?: number };
  /** Added to, or replacing, the variables of all processes of a role. */
  readonly env?: Readonly<Partial<Record<Role, Readonly<Record<string, string>>>>>;
  /** The RPC URL for one process, e.g. that of a fault proxy which the caller puts in between. */
  readonly rpcUrlFor?: (processName: string, chainRpcUrl: string) => string | Promise<string>;
  /** Embedded Postgres flushes to disk: on by default, off for tests. */
  readonly fsync?: boolean;
  /** Further settings of the embedded Postgres, as in `postgresql.conf`. */
  readonly postgresSettings?: Readonly<Record<string, string>>;
  readonly readyTimeoutMs?: number;
  /** How long a process may take to end after SIGTERM before it is killed. */
  readonly stopGraceMs?: number;
  /** Receives a line for people about each part that starts, with the path of its log. */
  readonly log?: (line: string) => void;
  /**
   * Starts a process that has ended unexpectedly again, and says so in `log`; off by default. Not
   * Postgres and the chain, whose end is reported at once: all that the chain knows is in it.
   */
  readonly restarts?: boolean;
  /**
   * Called when a process ends unexpectedly, with `restarts` when it has ended too often; the
   * sentence includes its last log lines.
   */
  readonly onDeath?: (processName: string, sentence: string) => void;
  /** Runs each process by this command instead of with this Node: see own-command.ts. */
  readonly command?: OwnCommand;
  /** The processes to run instead of the real ones. */
  readonly processes?: (surroundings: Surroundings) => readonly ProcessSpec[];
}

export interface System extends AsyncDisposable {
  readonly urls: {
    readonly api: string;
    /** Origin of the owner's page, as the api knows it. */
    readonly dashboard: string;
    readonly rpc: string;
    readonly ws: string;
    readonly faucet: string;
    /** Causes interest and a lack of liquidity: see faucet-server.ts. */
    readonly reserve: string;
    /** The x402 facilitator; absent without paid services. */
    readonly facilitator?: string;
    /** Base URL of each process by its name, for its own routes, /livez and /readyz. */
    readonly processes: Readonly<Record<string, string>>;
    /** Base URL of each process by its name, for /metrics. */
    readonly metrics: Readonly<Record<string, string>>;
  };
  /** As the owner of the tables, who has all privileges. */
  readonly databaseUrl: string;
  /** As each process, and as the two sides of the command line. */
  readonly databaseUrls: DatabaseUrls;
  readonly programId: string;
  readonly usdcMint: string;
  /** Empty unless the option `paidServices` is set. */
  readonly paidServices: readonly LocalService[];
  readonly logsDir: string;
  readonly faucet: Faucet;
  readonly reserve: ReserveMarket;
  /** Signals a process (SIGKILL by default), waits until it is gone and returns how it ended. */
  kill(name: string, signal?: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<ProcessExit>;
  /** Starts a process again with the same port and variables; stops it first if it is running. */
  restart(name: string): Promise<void>;
  /** The id of a running process. */
  pid(name: string): number;
  /** SIGSTOP: the process stops with all its connections open. */
  pause(name: string): void;
  /** SIGCONT. */
  resume(name: string): void;
  /** Stops all parts in the reverse order of their start. May be called again. */
  stop(): Promise<void>;
}
