import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MainnetChain, somebody, startMainnetChain } from '../support/chain/mainnet-chain.ts';

let chain: MainnetChain;
beforeAll(async () => {
  chain = await startMainnetChain();
});
afterAll(() => chain[Symbol.asyncDispose]());

/** The requirements that a process names, as they begin in its log. */
const REQUIREMENTS = [
  'ALLOW_MAINNET=true: ',
  'the deployed program is the audited one: ',
  'RPC endpoints of 2 different hosts: ',
  'nobody can replace the program alone: ',
];

/** Runs a process until it ends, or logs that it refuses every request, and returns its log. */
async function logOf(role: string, env: Readonly<Record<string, string>>): Promise<string> {
  const entry = fileURLToPath(new URL(`../../apps/${role}/src/main.ts`, import.meta.url));
  const child = spawn(process.execPath, [entry], {
    env: {
      // Nobody listens there: the requirements are checked before the database is opened.
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
      RPC_URL: chain.rpcUrls[0],
      PROGRAM_ID: chain.programId,
      USDC_MINT: chain.usdcMint,
      DASHBOARD_ORIGIN: 'http://localhost:3000',
      COOKIE_SECRET: randomBytes(32).toString('hex'),
      API_KEY_PEPPER: randomBytes(32).toString('hex'),
      FEE_PAYER_KEYS: JSON.stringify([bs58.encode(Keypair.generate().secretKey)]),
      PORT: '0',
      METRICS_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.on('data', (chunk: Buffer) => {
    if (chunk.includes('"listening"')) child.kill('SIGTERM');
  });
  const [log] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return log;
}

test.each(['api', 'tx-worker', 'confirm-worker', 'facilitator'])(
  'the %s names at once all that is missing on the main network, and does not work there',
  async (role) => {
    chain.setAuthority(somebody());
    const log = await logOf(role, {});
    expect(log).toContain('SERVER_MISCONFIGURED');
    expect(log).toContain('4 of the requirements for it are not met');
    for (const requirement of REQUIREMENTS) expect(log).toContain(requirement);
  },
);
