import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { keypairSigner } from '@agent-wallet/sdk/owner';
import { z } from 'zod';
import { CliError } from './cli-error.ts';

/** The owner's key. */
type OwnerKey = {
  /** Base58. */
  readonly address: string;
  /** 64 bytes: the seed, then the public key. */
  readonly secretKey: Uint8Array;
};

const SEED_BYTES = 32;
const SECRET_KEY_BYTES = 64;
const OWNER_ONLY = 0o600;
const secretKey = z.array(z.int().min(0).max(255)).length(SECRET_KEY_BYTES);

/**
 * Reads a key in the format of the Solana command line: a JSON list of 64 numbers. Throws a CliError
 * that shows nothing of the file.
 */
export function readKeypairFile(path: string): OwnerKey {
  const text = readText(path);
  try {
    return keyOf(Uint8Array.from(secretKey.parse(JSON.parse(text))));
  } catch {
    // Without the cause, whose message can quote the file.
    throw new CliError(`${path} is no key file: it must be a JSON list of the 64 bytes of a key.`);
  }
}

/** Writes a new key to a new file that only this user can read. Throws a CliError. */
export function createKeypairFile(path: string): OwnerKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-SEED_BYTES);
  const address = publicKey.export({ format: 'der', type: 'spki' }).subarray(-SEED_BYTES);
  const bytes = Uint8Array.from([...seed, ...address]);
  try {
    writeFileSync(path, `${JSON.stringify([...bytes])}\n`, { flag: 'wx', mode: OWNER_ONLY });
  } catch (cause) {
    throw new CliError(`${path} exists already or cannot be written.`, { cause });
  }
  return keyOf(bytes);
}

/** Throws for a key whose public half is another's. */
const keyOf = (bytes: Uint8Array): OwnerKey => ({
  address: keypairSigner(bytes).address,
  secretKey: bytes,
});

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new CliError(`${path} cannot be read.`, { cause });
  }
}
