/** A kept chain in a file. */

import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import type { SavedChain } from './engine/saved-chain.ts';
import { StartError } from '../system/start-error.ts';

/** Increased when the form of a saved chain changes. */
const FORMAT = 2;

/** What a kept chain needs beside its state. */
export type KeptChain = {
  readonly chain: SavedChain;
  /** 64 bytes: holds SOL and is the mint authority of USDC. */
  readonly faucetSecretKey: Uint8Array;
  readonly programLoaded: boolean;
};

type Content = { readonly format: number; readonly kept: KeptChain };

/** Replaces the file in one step: a crash leaves the old one or the new one. */
export function writeChainFile(path: string, kept: KeptChain): void {
  const content: Content = { format: FORMAT, kept };
  const file = openSync(`${path}.new`, 'w', 0o600);
  try {
    writeFileSync(file, serialize(content));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
}

/** Undefined when there is no such file. Throws StartError when it is of another format. */
export function readChainFile(path: string): KeptChain | undefined {
  if (!existsSync(path)) return undefined;
  const content: Content = deserialize(readFileSync(path));
  if (content.format === FORMAT) return content.kept;
  throw new StartError(
    `${path} was written by another version of this program: remove the folder that it is in, and ` +
      'chain and database begin anew.',
  );
}
