import { openRpcPool } from '@agent-wallet/chain';
import { closeIntake, createDatabase, readIntake } from '@agent-wallet/db';
import { CliError } from '../../cli-error.ts';
import { done, type Outcome } from '../../command-line/outcome.ts';
import type { Config } from '../config.ts';
import { refuseOtherDeployment } from '../deployment.ts';

const RPC_TIMEOUT_MS = 20_000;

/**
 * `ops restored`: closes intake as of the current block, because the database was restored from a
 * copy. The confirm-worker opens it again. Throws a CliError.
 */
export async function restoredCommand(config: Config): Promise<Outcome> {
  if (config.rpcUrls === null) {
    throw new CliError(
      'RPC_URL is needed: intake stays closed for a number of blocks from the current one.',
    );
  }
  await using stack = new AsyncDisposableStack();
  const db = await createDatabase({ url: config.databaseUrl, poolSize: 1 });
  stack.defer(() => db.end());
  const pool = stack.use(await openRpcPool({ urls: config.rpcUrls, timeoutMs: RPC_TIMEOUT_MS }));
  await refuseOtherDeployment(db, config, pool.genesisHash);
  if ((await readIntake(db)) === null) {
    throw new CliError('No process has ever been started on this database.');
  }
  const { blockHeight } = await pool.rpc.heightAndSlot('confirmed');
  await closeIntake(db, { height: blockHeight, reason: 'an operator reported a restore' });
  return done(
    `Intake is closed as of block ${blockHeight}: no spend is accepted and no lane runs. The ` +
      'confirm-worker opens it about 150 blocks later, once every earlier spend is settled.',
    { closed_at_height: Number(blockHeight) },
  );
}
