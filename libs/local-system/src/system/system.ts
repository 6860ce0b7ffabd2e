import type { DatabaseUrls } from '../postgres/database-logins.ts';
import type { ProcessSpec, Role, Surroundings } from './app-processes.ts';
import type { Faucet } from '../faucet/faucet.ts';
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
  /** Opens services that agents can pay, on a chain of our own; off by default. */
  readonly paidServices?: boolean;
  /** Milliseconds per slot of the embedded chain; 400 as on a cluster. */
  readonly slotTimeMs?: number;
  /** For logs and the Postgres cluster; absent: a temporary folder, removed by `stop`. */
  readonly dataDir?: string;
  /**
   * Used instead of an embedded Postgres, and migrated. It must be about the same chain. Its user
   * owns the database and may make roles: each process gets a login of its own.
   */
  readonly databaseUrl?: string;
  /** Used instead of the embedded chain; `programId` and `usdcMint` then say what is there. */
  readonly rpcUrl?: string;
  readonly programId?: string;
  readonly usdcMint?: string;
  /** Absent: the queue lives in Postgres. */
  readonly redisUrl?: string;
  /** Base58 secret keys of funded fee payers; absent: four new ones, funded by airdrop. */
  readonly feePayerKeys?: readonly string[];
  /** How many processes of each kind; 1 each by default, 0 leaves a kind out. */
  readonly workers?: { readonly tx?: number; readonly confirm?: number };
  /** Added to, or replacing, the variables of all processes of a role. */
  readonly env?: Readonly<Partial<Record<Role, Readonly<Record<string, string>>>>>;
  /** The RPC URL for one process, e.g. that of a fault proxy which the caller puts in between. */
  readonly rpcUrlFor?: (processName: string, chainRpcUrl: string) => string | Promise<string>;
  /** Embedded Postgres flushes to disk: on by default, off for tests. */
  readonly fsync?: boolean;
  readonly readyTimeoutMs?: number;
  /** How long a process may take to end after SIGTERM before it is killed. */
  readonly stopGraceMs?: number;
  /** Told in lines for people what is started and where its log is. */
  readonly log?: (line: string) => void;
  /** Told when a process ends that nobody told to end; the sentence carries its last log lines. */
  readonly onDeath?: (processName: string, sentence: string) => void;
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
    /** Makes interest and lack of liquidity happen: see faucet-server.ts. */
    readonly reserve: string;
    /** Base URL of each process by its name, for /metrics, /livez and /readyz. */
    readonly metrics: Readonly<Record<string, string>>;
  };
  /** As the owner of the tables, who may do everything. */
  readonly databaseUrl: string;
  /** As each process, and as the two sides of the command line. */
  readonly databaseUrls: DatabaseUrls;
  readonly programId: string;
  readonly usdcMint: string;
  /** None unless they were asked for. */
  readonly paidServices: readonly LocalService[];
  readonly logsDir: string;
  readonly faucet: Faucet;
  readonly reserve: ReserveMarket;
  /** Signals a process (SIGKILL by default) and waits until it is gone; answers how it ended. */
  kill(name: string, signal?: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<ProcessExit>;
  /** Starts a process again on the same port with the same variables; ends it first if it runs. */
  restart(name: string): Promise<void>;
  /** The process id of a process that runs. */
  pid(name: string): number;
  /** SIGSTOP: the process stands still with all its connections open. */
  pause(name: string): void;
  /** SIGCONT. */
  resume(name: string): void;
  /** Ends everything in the reverse order of its start. May be called again. */
  stop(): Promise<void>;
}
