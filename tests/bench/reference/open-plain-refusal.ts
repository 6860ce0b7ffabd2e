import { randomUUID } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import type { Target } from '../load/agents.ts';
import { createDatabase } from './create-database.ts';
import { type PlainRefusalOptions } from './plain-refusal-options.ts';
import { startHandler } from './start-handler.ts';

const AGENTS = 100;

/** The bare route with as many keys as the load on ours has; a database of its own. */
export async function openPlainRefusal(anyDatabaseUrl: string): Promise<Target & AsyncDisposable> {
  const recipient = Keypair.generate().publicKey.toBase58();
  const agents = Array.from({ length: AGENTS }, () => ({ apiKey: randomUUID(), recipient }));
  const options: PlainRefusalOptions = {
    databaseUrl: await createDatabase(anyDatabaseUrl, 'plain_refusal'),
    apiKeys: agents.map(({ apiKey }) => apiKey),
  };
  const handler = await startHandler('plain-refusal', options);
  return {
    urls: [handler.url],
    agents,
    [Symbol.asyncDispose]: () => handler[Symbol.asyncDispose](),
  };
}
