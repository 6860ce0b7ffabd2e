import { Option } from 'commander';
import { z } from 'zod';
import { addCommand } from '../command-line/add-command.ts';
import { firstOf, period, PERIOD_OPTIONS, uuid } from '../command-line/inputs.ts';
import { done } from '../command-line/outcome.ts';
import type { AddCommands } from '../command-line/parse-command-line.ts';
import {
  KIND_OPTION,
  SPENDS_HEAD,
  spendCells,
  spendKind,
  spendStatus,
  STATUS_OPTION,
} from '../spends-table.ts';
import { tableOf } from '../terminal/table.ts';
import { spendOutcome } from './spend-outcome.ts';
import { AGENT_OPTIONS, agentInput, openAgent } from './with-agent.ts';

export const addSpends: AddCommands = (to) => {
  addCommand(to, {
    usage: 'spend <id>',
    summary: 'show a spend: exit code 0 confirmed, 1 rejected, 3 pending',
    options: [new Option('--wait', 'wait until the outcome is known'), ...AGENT_OPTIONS],
    examples: ['agent spend 0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6071 --wait'],
    input: agentInput.extend({ id: uuid, wait: z.boolean().default(false) }),
    run: async (input, context) => {
      const { id, timeout: timeoutMs } = input;
      const { signal, terminal } = context;
      const wallet = openAgent(input, context);
      const spend = await wallet.spend(id, { signal });
      if (spend.status !== 'pending' || !input.wait) return spendOutcome(spend);
      const waiting = wallet.waitFor(id, { signal, timeoutMs });
      return spendOutcome(await terminal.whileWaiting('waiting for the outcome', waiting));
    },
  });
  addCommand(to, {
    usage: 'spends',
    summary: 'list the spends of this session, newest first, pending ones too',
    options: [STATUS_OPTION, KIND_OPTION, ...PERIOD_OPTIONS, ...AGENT_OPTIONS],
    examples: ['agent spends --status pending', 'agent spends --from 2026-11-01 --json'],
    input: agentInput.extend({ status: spendStatus, kind: spendKind, ...period }),
    run: async (input, context) => {
      const { status, kind, from, to: before, limit } = input;
      const filter = { status, kind, from, to: before };
      const list = openAgent(input, context).spends(filter, { signal: context.signal });
      const items = await firstOf(list, limit);
      return done(tableOf(SPENDS_HEAD, items.map(spendCells)), items);
    },
  });
};
