import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { localProgramId, USDC_MINT } from '../chain/chain-facts.ts';
import { createDatabaseLogins, type DatabaseUrls } from '../postgres/database-logins.ts';
import { startEmbeddedChain } from '../chain/embedded-chain.ts';
import { startEmbeddedPostgres } from '../postgres/embedded-postgres.ts';
import { reportDeath, type SupervisedProcess } from '../process/supervised-process.ts';
import type { StartSystemOptions } from './system.ts';

const DEFAULT_SLOT_TIME_MS = 400;

/** Imported while the servers start: the queue's library is large. */
const importMigration = () => import('@agent-wallet/migration');

/** The chain that the system uses. */
export interface Chain {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly programId: string;
  readonly usdcMint: string;
  /** Undefined when the chain is not embedded. */
  readonly mintAuthority: Keypair | undefined;
  readonly process: SupervisedProcess | undefined;
}

/** The database that the system uses. */
export interface Store {
  /** As the owner of the tables. */
  readonly databaseUrl: string;
  readonly databaseUrls: DatabaseUrls;
  readonly process: SupervisedProcess | undefined;
}

/** Folders, the stack on which a foundation registers its disposal, and the log for people. */
export interface Site {
  readonly dataDir: string;
  readonly logsDir: string;
  readonly stack: AsyncDisposableStack;
  readonly log: (line: string) => void;
}

/** The database: the one given, or an embedded one; migrated, with a login for each process. */
export async function startStore(
  options: StartSystemOptions,
  { dataDir, logsDir, stack, log }: Site,
): Promise<Store> {
  if (options.databaseUrl !== undefined) {
    const { databaseUrl } = options;
    const { migrateDatabase } = await importMigration();
    await migrateDatabase(databaseUrl);
    const logins = await createDatabaseLogins(databaseUrl);
    stack.defer(() =>
      logins.drop().catch(() => log('the logins made in DATABASE_URL could not be dropped')),
    );
    log('postgres from DATABASE_URL, migrated');
    return { databaseUrl, databaseUrls: logins.urls, process: undefined };
  }
  const logFile = join(logsDir, 'postgres.log');
  const fsync = options.fsync ?? true;
  const settings = options.postgresSettings ?? {};
  const starting = startEmbeddedPostgres({
    dataDir,
    logFile,
    fsync,
    settings,
    ...(options.keep && { keep: options.keep.postgres }),
  });
  const [postgres, { migrateDatabase }] = await Promise.all([starting, importMigration()]);
  stack.defer(() => postgres.stop());
  void reportDeath(postgres.process, options.onDeath);
  await migrateDatabase(postgres.url);
  const logins = await createDatabaseLogins(postgres.url);
  // Otherwise the logins go away with the cluster.
  if (options.keep !== undefined) stack.defer(() => logins.drop());
  log(`postgres ready (${postgres.url}), log ${logFile}`);
  return { databaseUrl: postgres.url, databaseUrls: logins.urls, process: postgres.process };
}

/** The chain: the one given, or an embedded one with the program and USDC. */
export async function startChain(
  options: StartSystemOptions,
  { logsDir, stack, log }: Site,
): Promise<Chain> {
  const programId = options.programId ?? localProgramId();
  const usdcMint = options.usdcMint ?? USDC_MINT;
  if (options.rpcUrl !== undefined) {
    log('chain from RPC_URL');
    const wsUrl = options.rpcUrl.replace(/^http/, 'ws');
    const given = { rpcUrl: options.rpcUrl, wsUrl, programId, usdcMint };
    return { ...given, mintAuthority: undefined, process: undefined };
  }
  const logFile = join(logsDir, 'chain.log');
  const slotTimeMs = options.slotTimeMs ?? DEFAULT_SLOT_TIME_MS;
  const keepFile = options.keep?.chainFile;
  const chain = await startEmbeddedChain({
    slotTimeMs,
    logFile,
    ...(keepFile !== undefined && { keepFile }),
  });
  stack.defer(() => chain.stop());
  void reportDeath(chain.process, options.onDeath);
  const program = chain.programLoaded ? `program ${programId}` : 'WITHOUT the program: not built';
  log(`chain ready on ${chain.rpcUrl}, slots of ${slotTimeMs} ms, ${program}, log ${logFile}`);
  return {
    rpcUrl: chain.rpcUrl,
    wsUrl: chain.wsUrl,
    programId: localProgramId(),
    usdcMint: USDC_MINT,
    mintAuthority: Keypair.fromSecretKey(bs58.decode(chain.faucetSecretKey)),
    process: chain.process,
  };
}
