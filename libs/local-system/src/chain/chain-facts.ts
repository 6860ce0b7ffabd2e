import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MINT_SIZE, MintLayout } from '@solana/spl-token';
import { Keypair, PublicKey } from '@solana/web3.js';
import { z } from 'zod';

/** USDC's mint on devnet; the embedded chain has a mint at the same address. */
export const USDC_MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';

const USDC_DECIMALS = 6;

/** The built program, which is committed so that no compiler is needed. */
export const PROGRAM_FILE = fileURLToPath(
  new URL('../../../../program/artifacts/agent_wallet.so', import.meta.url),
);

const PROGRAM_KEY_FILE = fileURLToPath(
  new URL('../../../../program/keys/agent_wallet-keypair.json', import.meta.url),
);

/** The sandbox yield reserve, also committed. */
export const RESERVE_PROGRAM_FILE = fileURLToPath(
  new URL('../../../../program/artifacts/reserve_sandbox.so', import.meta.url),
);

/** The program's address on local chains, from its public, worthless test keypair. */
export function localProgramId(): string {
  const secret = z.array(z.int()).parse(JSON.parse(readFileSync(PROGRAM_KEY_FILE, 'utf8')));
  return Keypair.fromSecretKey(Uint8Array.from(secret)).publicKey.toBase58();
}

/** Whether the program has been built. */
export function hasProgramFile(): boolean {
  return existsSync(PROGRAM_FILE);
}

/** The 82 bytes of a fresh USDC mint (supply 0, no freeze authority) with this mint authority. */
export function usdcMintData(authority: PublicKey): number[] {
  const data = Buffer.alloc(MINT_SIZE);
  MintLayout.encode(
    {
      mintAuthorityOption: 1,
      mintAuthority: authority,
      supply: 0n,
      decimals: USDC_DECIMALS,
      isInitialized: true,
      freezeAuthorityOption: 0,
      freezeAuthority: PublicKey.default,
    },
    data,
  );
  return [...data];
}
