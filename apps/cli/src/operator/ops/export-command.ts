import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { exportWallet } from '@agent-wallet/wallet';
import { CliError } from '../../cli-error.ts';
import { done, type Outcome } from '../../command-line/outcome.ts';
import type { OpsConfig } from '../config.ts';
import { openDatabase } from './open-database.ts';

/**
 * `ops export`: writes every row that belongs to a wallet to a new file, one JSON value a line, and a
 * last line with the numbers of rows. Needs the login of the owner of the tables. Throws a CliError
 * when the file exists, and when there is no such wallet.
 */
export async function exportCommand(
  config: OpsConfig,
  { walletId, path }: { readonly walletId: string; readonly path: string },
): Promise<Outcome> {
  await using stack = new AsyncDisposableStack();
  const db = await openDatabase(stack, config);
  const file = await createFile(path);
  try {
    const rows = await exportWallet(db, walletId, (text) => writeLine(file, text));
    if (rows === null) throw new CliError(`There is no wallet ${walletId}.`);
    const ended = { table: null, wallet_id: walletId, rows };
    await writeLine(file, JSON.stringify(ended));
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
    return done(`${path} has all ${total} rows of wallet ${walletId}.`, ended);
  } finally {
    file.end();
    await once(file, 'close');
  }
}

/** Readable for its owner only: it holds what agents have sent to services and got from them. */
async function createFile(path: string): Promise<Writable> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  try {
    await once(file, 'open');
    return file;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(`${path} cannot be created: ${reason}.`, { cause });
  }
}

async function writeLine(file: Writable, text: string): Promise<void> {
  if (file.errored !== null) throw file.errored;
  if (!file.write(`${text}\n`)) await once(file, 'drain');
}
