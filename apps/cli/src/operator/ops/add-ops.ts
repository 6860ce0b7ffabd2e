import { Option } from 'commander';
import { z } from 'zod';
import { addCommand } from '../../command-line/add-command.ts';
import { count, timeout, uuid } from '../../command-line/inputs.ts';
import type { AddCommands } from '../../command-line/parse-command-line.ts';
import type { OpsConfig } from '../config.ts';
import { withEnvironment } from '../with-environment.ts';
import { addExport } from './add-export.ts';
import { addMigrate } from './add-migrate.ts';

const MOST_SECONDS = 86_400;

/** Loads the settings with the command: the packed tool has no libraries of the database. */
async function configOf(env: NodeJS.ProcessEnv): Promise<OpsConfig> {
  const { parseOpsConfig } = await import('../config.ts');
  return parseOpsConfig(env);
}

/** The commands of an operator on call. */
export const addOps: AddCommands = ({ group, onCall }) => {
  withEnvironment(
    group,
    'DATABASE_URL; REDIS_URL and REDIS_KEY_PREFIX where the queue is in Redis; "restored" also needs PROGRAM_ID, USDC_MINT and RPC_URL',
  );
  addLooks({ group, onCall });
  addWakes({ group, onCall });
  addIntake({ group, onCall });
  addMigrate({ group, onCall });
  addExport({ group, onCall });
};

const addLooks: AddCommands = (to) => {
  addCommand(to, {
    usage: 'stuck',
    summary:
      'list spends that have waited for long, and what each waits for; exit code 1 when there is one',
    options: [
      new Option('--older-than <seconds>', 'how long they have waited').default('60'),
      new Option('--limit <count>', 'the most rows to show, oldest first').default('100'),
    ],
    examples: ['ops stuck', 'ops stuck --older-than 300 --json'],
    input: z.object({ olderThan: count(MOST_SECONDS), limit: count(10_000) }),
    run: async ({ olderThan, limit }, { env }) => {
      const { stuckCommand } = await import('./stuck-command.ts');
      return stuckCommand(await configOf(env), { olderThanMs: olderThan * 1_000, limit });
    },
  });
  addCommand(to, {
    usage: 'fee-payers',
    summary:
      'list the accounts that pay fees with their balances, as the tx-workers last read them; exit code 1 when one is below its floor',
    examples: ['ops fee-payers'],
    input: z.object({}),
    run: async (_input, { env }) => {
      const { feePayersCommand } = await import('./fee-payers-command.ts');
      return feePayersCommand(await configOf(env));
    },
  });
};

const addWakes: AddCommands = (to) => {
  addCommand(to, {
    usage: 'nudge',
    summary: 'wake the lanes of one wallet, or of all wallets with queued spends',
    options: [new Option('--wallet <id>', 'only this wallet')],
    examples: ['ops nudge', 'ops nudge --wallet 0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6071'],
    input: z.object({ wallet: uuid.optional() }),
    run: async ({ wallet }, { env }) => {
      const { nudgeCommand } = await import('./nudge-command.ts');
      return nudgeCommand(await configOf(env), { walletId: wallet ?? null });
    },
  });
  addCommand(to, {
    usage: 'sweep',
    summary:
      'do at once what the sweeps of the workers do: nudge free lanes with queued spends, and look at every attempt and unfinalized landing',
    examples: ['ops sweep'],
    input: z.object({}),
    run: async (_input, { env }) => {
      const { sweepCommand } = await import('./sweep-command.ts');
      return sweepCommand(await configOf(env));
    },
  });
};

const addIntake: AddCommands = (to) => {
  addCommand(to, {
    usage: 'drain',
    summary:
      'accept no spend any more, and wait until none is open; exit code 3 when some still are at the end of the wait',
    options: [
      new Option('--timeout <seconds>', 'the longest time to wait').default('300'),
      new Option('--resume', 'accept spends again'),
    ],
    examples: ['ops drain', 'ops drain --timeout 30', 'ops drain --resume'],
    input: z.object({ timeout, resume: z.boolean().default(false) }),
    run: async ({ timeout: timeoutMs, resume }, context) => {
      const config = await configOf(context.env);
      const { drainCommand, resumeCommand } = await import('./drain-command.ts');
      return resume ? resumeCommand(config) : drainCommand(config, { timeoutMs }, context);
    },
  });
  addCommand(to, {
    usage: 'restored',
    summary:
      'run it after a restore from a copy: closes intake, so that no spend is accepted or signed until every earlier signature has landed or expired',
    examples: ['ops restored'],
    input: z.object({}),
    run: async (_input, { env }) => {
      const { parseConfig } = await import('../config.ts');
      const config = parseConfig(env);
      const { restoredCommand } = await import('./restored-command.ts');
      return restoredCommand(config);
    },
  });
};
