import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { z } from 'zod';

/** `cp` says so when a file was gone before it came to it; the log that is copied last mends that. */
const SOME_FILES_WERE_GONE = 1;

/** Copies a running server's data directory as a base backup, with the log that makes it whole. */
export async function copyDataDirectory(url: string, copy: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const ask = async (query: string): Promise<string> => {
      const { rows } = await client.query<Record<string, unknown>>({ text: query });
      return z.string().parse(rows[0]?.['text']);
    };
    const directory = await ask("select current_setting('data_directory') as text");
    await ask("select pg_backup_start('chaos', true)::text as text");
    await copyTree(directory, copy);
    const label = await ask('select labelfile as text from pg_backup_stop(false)');
    await rm(join(copy, 'pg_wal'), { recursive: true });
    await copyTree(join(directory, 'pg_wal'), join(copy, 'pg_wal'));
    for (const file of ['postmaster.pid', 'postmaster.opts']) await rm(join(copy, file));
    await writeAsOwner(copy, 'backup_label', label);
  } finally {
    await client.end();
  }
}

/** Has the server that starts on the copy recover to the end of the backup, then branch off. */
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
