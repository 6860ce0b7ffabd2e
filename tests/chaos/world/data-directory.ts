import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { connect } from './connect.ts';

/** The exit code of `cp` when files vanished meanwhile; the log, copied last, restores them. */
const SOME_FILES_WERE_GONE = 1;

/** Copies a running server's data directory as a base backup, with its write-ahead log. */
export async function copyDataDirectory(url: string, copy: string): Promise<void> {
  await using client = await connect(url);
  const query = async (text: string): Promise<string> => {
    const { rows } = await client.query<Record<string, unknown>>({ text });
    return z.string().parse(rows[0]?.['text']);
  };
  const directory = await query("select current_setting('data_directory') as text");
  await query("select pg_backup_start('chaos', true)::text as text");
  await copyTree(directory, copy);
  const label = await query('select labelfile as text from pg_backup_stop(false)');
  await rm(join(copy, 'pg_wal'), { recursive: true });
  await copyTree(join(directory, 'pg_wal'), join(copy, 'pg_wal'));
  for (const file of ['postmaster.pid', 'postmaster.opts']) await rm(join(copy, file));
  await writeAsOwner(copy, 'backup_label', label);
}

/** Makes the server that starts on the copy recover and then begin a new timeline. */
export async function makeNewTimeline(copy: string): Promise<void> {
  await writeAsOwner(copy, 'recovery.signal', '');
  const settings = [
    "restore_command = '/bin/false'",
    "recovery_target = 'immediate'",
    "recovery_target_action = 'promote'",
  ];
  await appendFile(join(copy, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
}

async function copyTree(from: string, to: string): Promise<void> {
  const child = spawn('cp', ['-a', from, to], { stdio: 'ignore' });
  const [code]: unknown[] = await once(child, 'exit');
  if (code !== 0 && code !== SOME_FILES_WERE_GONE) {
    throw new Error(`${from} could not be copied: cp ended with ${String(code)}`);
  }
}

async function writeAsOwner(directory: string, name: string, text: string): Promise<void> {
  const { uid, gid } = await stat(directory);
  await writeFile(join(directory, name), text, { mode: 0o600 });
  await chown(join(directory, name), uid, gid);
}
