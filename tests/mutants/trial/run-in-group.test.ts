import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { waitUntil } from '../../support/wait-until.ts';
import { runInGroup } from './run-in-group.ts';

it('kills the children of the command at an abort', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'run-in-group-'));
  const stop = new AbortController();
  const started = join(folder, 'started');
  // The output stays open while the child of the command runs, and the call waits for its end.
  const run = runInGroup(['bash', '-c', `sleep 1000 & touch '${started}'; wait`], {
    cwd: folder,
    env: process.env,
    signal: stop.signal,
  });
  await waitUntil('the child of the command', () => existsSync(started));
  stop.abort(new Error('interrupted'));
  await expect(run).rejects.toThrow('interrupted');
  await rm(folder, { recursive: true });
});
