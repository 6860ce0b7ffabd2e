import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createWalletProgram } from '@agent-wallet/chain';
import { Keypair, PublicKey } from '@solana/web3.js';
import { afterAll, expect, test } from 'vitest';
import { useSystem } from '../support/system/use-system.ts';

const ENTRY = fileURLToPath(new URL('../../deploy/cluster/src/main.ts', import.meta.url));
const SOL = 1_000_000_000;

const getSystem = useSystem();
const dir = mkdtempSync(join(tmpdir(), 'smoke-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** Runs the command as an operator does. */
async function smoke(owner: Keypair, recipient: string): Promise<string> {
  const { urls, programId, usdcMint } = getSystem();
  const file = join(dir, `${owner.publicKey.toBase58()}.json`);
  writeFileSync(file, JSON.stringify([...owner.secretKey]), { mode: 0o600 });
  const options = { api: urls.api, program: programId, mint: usdcMint, recipient, keypair: file };
  const named = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const env = { ...process.env, RPC_URL: urls.rpc };
  const run = promisify(execFile)(process.execPath, [ENTRY, 'smoke', ...named], { env });
  return run.then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`,
  );
}

test('a deployment is tried as an owner and an agent: funds, one spend, the end of its key', async () => {
  const { faucet, programId, usdcMint } = getSystem();
  const [owner, recipient] = [Keypair.generate(), Keypair.generate().publicKey];
  await Promise.all([faucet.sol(owner.publicKey, SOL), faucet.usdc(recipient, 1n)]);
  const poor = await smoke(owner, recipient.toBase58());
  const { addresses } = createWalletProgram({ programId, usdcMint });
  const account = addresses.usdcAta(addresses.vaultPda(owner.publicKey.toBase58()));
  expect(poor).toContain(`send 0.001 USDC of the mint ${usdcMint} to ${account}`);

  await faucet.usdc(new PublicKey(account), 1_000n);
  const lines = (await smoke(owner, recipient.toBase58())).trim().split('\n');
  expect(lines).toEqual([
    `signed in as ${owner.publicKey.toBase58()} on devnet`,
    'the vault holds 0.001 USDC',
    expect.stringMatching(/^opened the session \S+$/),
    expect.stringMatching(/^paid 0.001 USDC to \S+: \S+$/),
    'revoked the session',
    'the key of the session is refused',
    'ok',
  ]);
});
