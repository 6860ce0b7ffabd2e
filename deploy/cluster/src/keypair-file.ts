import { readFileSync } from 'node:fs';
import { Keypair } from '@solana/web3.js';
import { z } from 'zod';
import { ClusterError } from './cluster-error.ts';

const secretKey = z.array(z.int().min(0).max(255)).length(64);

/**
 * Reads a key in the format of the Solana command line: a JSON list of 64 numbers. Throws a
 * ClusterError that shows nothing of the file.
 */
export function readKeypairFile(path: string): Keypair {
  try {
    return Keypair.fromSecretKey(Uint8Array.from(secretKey.parse(JSON.parse(readText(path)))));
  } catch {
    // Without the cause, whose message can quote the file.
    throw new ClusterError(`${path} is no key file: it must be a JSON list of 64 numbers.`);
  }
}

const readText = (path: string): string => readFileSync(path, 'utf8');
