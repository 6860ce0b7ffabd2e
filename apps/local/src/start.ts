/** `npm start`: everything on this machine, until Ctrl-C. */
import { runCommand } from './run-command.ts';
import { runUntilStopped } from './run-until-stopped.ts';

await runCommand(() => runUntilStopped(process.env));
