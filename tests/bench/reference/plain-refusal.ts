/** The reference of refusals: a bare route with one indexed select and one insert. */
import { type Served, serveParent } from '@agent-wallet/local-system/process/parent-channel.ts';
import Fastify from 'fastify';
import { Pool } from 'pg';
import { plainRefusalOptions, type PlainRefusalOptions } from './plain-refusal-options.ts';

const POOL_SIZE = 20;

serveParent(plainRefusalOptions, serve);

type TransferRequest = { readonly recipient: string; readonly amount: number };

async function serve({ databaseUrl, apiKeys }: PlainRefusalOptions): Promise<Served<object>> {
  const pool = new Pool({ connectionString: databaseUrl, max: POOL_SIZE });
  await pool.query(`
    create table if not exists plain_key (api_key text primary key, owner text not null);
    create table if not exists plain_denial (
      id bigint generated always as identity primary key, api_key text not null,
      recipient text not null, amount bigint not null, reason text not null,
      created_at timestamptz not null default now())`);
  await pool.query("insert into plain_key select key, 'owner' from unnest($1::text[]) as key", [
    apiKeys,
  ]);
  const app = Fastify();
  const properties = { recipient: { type: 'string' }, amount: { type: 'integer' } };
  const body = { type: 'object', required: ['recipient', 'amount'], properties };
  app.post<{ Body: TransferRequest }>(
    '/v1/spend/transfer',
    { schema: { body } },
    async (request, reply) => {
      const apiKey = (request.headers.authorization ?? '').slice('Bearer '.length);
      const known = await pool.query({
        name: 'select',
        text: 'select owner from plain_key where api_key = $1',
        values: [apiKey],
      });
      if (known.rowCount !== 1) return reply.code(401).send({ code: 'UNAUTHORIZED' });
      const code = 'OUTSIDE_TIME_WINDOW';
      await pool.query({
        name: 'insert',
        text: `insert into plain_denial (api_key, recipient, amount, reason)
          values ($1, $2, $3, $4)`,
        values: [apiKey, request.body.recipient, request.body.amount, code],
      });
      return reply.code(403).send({ code });
    },
  );
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    ready: { url },
    stop: async () => {
      await app.close();
      await pool.end();
    },
  };
}
