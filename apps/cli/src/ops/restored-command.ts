import { openRpcPool } from '@agent-wallet/chain';
import { createDatabase, readIntake, closeIntake } from '@agent-wallet/db';
import { CliError } from '../cli-error.ts';
import type { Config } from '../config.ts';
import { refuseOtherDeployment } from '../deployment.ts';

const RPC_TIMEOUT_MS = 20_000;

/**
 * `ops restored`: shuts acceptance and lanes as of now, because the database was restored from a
 * copy. The confirm-worker opens them again. Answers the exit code; throws one sentence.
 */
export async function restoredCommand(
  config: Config,
  print: (line: string) => void,
): Promise<number> {
  if (config.rpcUrls === null) {
    throw new CliError('RPC_URL is needed: the height of the chain says how long to wait.');
  }
  await using stack = new AsyncDisposableStack();
  const db = await createDatabase({ url: config.databaseUrl, poolSize: 1 });
  stack.defer(() => db.end());
  const pool = stack.use(await openRpcPool({ urls: config.rpcUrls, timeoutMs: RPC_TIMEOUT_MS }));
  await refuseOtherDeployment(db, config, pool.genesisHash);
  if ((await readIntake(db)) === null) {
    throw new CliError('Nothing has ever been started on this database.');
  }
  const { blockHeight } = await pool.rpc.heightAndSlot('confirmed');
  await closeIntake(db, { height: blockHeight, reason: 'an operator said that it was restored' });
  print(
    `Acceptance and lanes are shut as of block ${blockHeight}; the confirm-worker opens them ` +
      'again some 150 blocks later, when everything signed before is settled.',
  );
  return 0;
}
