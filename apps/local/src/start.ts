/** `npm start`: everything on this machine, until Ctrl-C. */
import { runCommand } from '@agent-wallet/local-system/process/run-command.ts';
import { runUntilStopped } from '@agent-wallet/local-system/process/run-until-stopped.ts';

await runCommand(() => runUntilStopped(process.env));
