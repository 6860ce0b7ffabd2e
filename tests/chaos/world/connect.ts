import { Client } from 'pg';

/** Connects directly to Postgres. The loss of an idle connection is not an error. */
export async function connect(connectionString: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  return Object.assign(client, {
    [Symbol.asyncDispose]: () => client.end().catch(() => undefined),
  });
}
