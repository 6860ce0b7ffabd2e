/** Signing in to an API that answers with texts of its choice. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEVNET } from '@agent-wallet/sdk/owner';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Context } from '../command-line/add-command.ts';
import { createKeypairFile } from '../keypair-file.ts';
import { withOwner } from './with-owner.ts';

const NONCE = 'ab'.repeat(16);
const TEXT = `wallet.example.com wants you to sign in with your Solana account:\n{pubkey}\n\nSign in.\n\nURI: https://wallet.example.com\nVersion: 1\nChain ID: devnet\nNonce: ${NONCE}`;

const dir = mkdtempSync(join(tmpdir(), 'with-owner-'));
const keypair = join(dir, 'key.json');
const { address } = createKeypairFile(keypair);
const expires_at = '2027-01-15T08:00:00.000Z';
const replies: Readonly<Record<string, object>> = {
  '/v1/auth/siws/nonce': { nonce: NONCE, message: TEXT, expires_at },
  '/v1/auth/siws': { pubkey: address, expires_at },
  '/v1/auth/logout': { signed_out: true },
};
const called: string[] = [];
const server = createServer(({ url = '' }, response) => {
  called.push(url);
  response.writeHead(200, {
    'content-type': 'application/json',
    'set-cookie': 'svc_session=token',
  });
  response.end(JSON.stringify(replies[url]));
});
let port = 0;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ({ port } = z.object({ port: z.int() }).parse(server.address()));
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(dir, { recursive: true });
});

/** Signs in, does nothing else, and returns what was printed. */
async function signIn(site: string | undefined): Promise<readonly string[]> {
  called.splice(0);
  const notes: string[] = [];
  const terminal: Context['terminal'] = {
    print: () => expect.unreachable(),
    note: (line) => void notes.push(line),
    agree: () => expect.unreachable(),
    whileWaiting: async (_what, work) => work,
  };
  const { programId: program, usdcMint: mint, reserve: network } = DEVNET;
  const url = `http://127.0.0.1:${port}`;
  const input = { url, keypair, program, mint, network, site, timeout: 5_000 };
  const context = { terminal, signal: new AbortController().signal, env: {} };
  expect(await withOwner(input, context, async (owner) => owner.address)).toBe(address);
  return notes;
}

test('without a site, the user is told once where the sign-in is', async () => {
  expect(await signIn(undefined)).toEqual(['Signing in to wallet.example.com.']);
  expect(called).toEqual(['/v1/auth/siws/nonce', '/v1/auth/siws', '/v1/auth/logout']);
});

test('with a site, a sign-in at that site is signed, and none at another one', async () => {
  expect(await signIn('wallet.example.com')).toEqual([]);
  await expect(signIn('other.example.com')).rejects.toMatchObject({ code: 'SIGN_IN_MISMATCH' });
  expect(called).toEqual(['/v1/auth/siws/nonce']);
});
