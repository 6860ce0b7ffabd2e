import { Client } from 'pg';

/** Creates an empty database in the Postgres of any of its databases; returns its URL. */
export async function createDatabase(anyUrl: string, name: string): Promise<string> {
  const client = new Client({ connectionString: anyUrl });
  await client.connect();
  try {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  return Object.assign(new URL(anyUrl), { pathname: `/${name}` }).href;
}
