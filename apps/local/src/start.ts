/** `npm start`: everything on this machine, until Ctrl-C. `-- --keep` keeps chain and database. */
import { parseArgs } from 'node:util';
import { runCommand } from '@agent-wallet/local-system/process/run-command.ts';
import { runUntilStopped } from '@agent-wallet/local-system/process/run-until-stopped.ts';
import { StartError } from '@agent-wallet/local-system/system/start-error.ts';

await runCommand(() => runUntilStopped(process.env, { isKept: wantsKeep() }));

function wantsKeep(): boolean {
  try {
    return parseArgs({ options: { keep: { type: 'boolean', default: false } } }).values.keep;
  } catch (cause) {
    throw new StartError('npm start takes one option: npm start -- --keep.', { cause });
  }
}
