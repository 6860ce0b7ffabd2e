import { readFileSync } from 'node:fs';
import { Keypair } from '@solana/web3.js';
import { z } from 'zod';
import { CliError } from '../cli-error.ts';

const SECRET_KEY_BYTES = 64;
const secretKey = z.array(z.int().min(0).max(255)).length(SECRET_KEY_BYTES);

/**
 * Reads a key in the format of the Solana command line: a JSON list of 64 numbers. Throws a CliError
 * that shows nothing of the file.
 */
export function readKeypairFile(path: string): Keypair {
  const text = readText(path);
  try {
    return Keypair.fromSecretKey(Uint8Array.from(secretKey.parse(JSON.parse(text))));
  } catch {
    // Without the cause, whose message can quote the file.
    throw new CliError(`${path} is no key file: it must be a JSON list of the 64 bytes of a key.`);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new CliError(`${path} cannot be read.`, { cause });
  }
}
