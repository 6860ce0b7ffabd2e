import { Client } from 'pg';
import { StartError } from './start-error.ts';

/**
 * Throws StartError when a database belongs to another chain than the one that runs: the processes
 * would refuse to start, each with a message of its own. A new database belongs to none.
 */
export async function refuseForeignDatabase(options: {
  readonly databaseUrl: string;
  /** Of the chain that runs. */
  readonly genesisHash: string;
  /** Whether the chain is the one of RPC_URL. */
  readonly isGivenChain: boolean;
}): Promise<void> {
  const { databaseUrl, genesisHash, isGivenChain } = options;
  const stored = await storedGenesisHash(databaseUrl);
  if (stored === undefined || stored === genesisHash) return;
  throw new StartError(
    isGivenChain
      ? `The database belongs to the chain with the genesis hash ${stored}, and RPC_URL is the ` +
          `chain ${genesisHash}: use a new database, or the chain's own RPC_URL.`
      : `The database belongs to a chain that is gone (genesis hash ${stored}): each start makes a ` +
          'new embedded chain. Use a new database, or keep chain and database from now on with ' +
          '`npm start -- --keep`.',
  );
}

async function storedGenesisHash(databaseUrl: string): Promise<string | undefined> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ genesis_hash: string }>(
      'select genesis_hash from deployment',
    );
    return rows[0]?.genesis_hash;
  } finally {
    await client.end();
  }
}
