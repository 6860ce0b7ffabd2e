import { formatUsdc, type Session } from '@agent-wallet/sdk/owner';
import { addCommand } from '../../command-line/add-command.ts';
import { uuid } from '../../command-line/inputs.ts';
import { done } from '../../command-line/outcome.ts';
import type { AddCommands } from '../../command-line/parse-command-line.ts';
import { listOf, tableOf } from '../../terminal/table.ts';
import { kindsOf, timeOf } from '../describe-instruction.ts';
import { OWNER_OPTIONS, ownerInput } from '../owner-inputs.ts';
import { withOwner } from '../with-owner.ts';
import { addChanges } from './add-changes.ts';
import { addCreate } from './add-create.ts';
import { addRotateKey } from './add-rotate-key.ts';

export const addSessions: AddCommands = ({ group: owner, onCall }) => {
  const group = owner.command('session').description('what agents may spend');
  addCreate({ group, onCall });
  addCommand(
    { group, onCall },
    {
      usage: 'list',
      summary: 'list all sessions, newest first',
      options: OWNER_OPTIONS,
      examples: ['owner session list --keypair owner.json'],
      input: ownerInput,
      run: (input, context) =>
        withOwner(input, context, async ({ client }) => {
          const sessions = await client.sessions({ signal: context.signal });
          return done(tableOf(HEAD, sessions.map(cellsOf)), sessions);
        }),
    },
  );
  addCommand(
    { group, onCall },
    {
      usage: 'show <id>',
      summary: 'show a session',
      options: OWNER_OPTIONS,
      examples: ['owner session show 0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6071'],
      input: ownerInput.extend({ id: uuid }),
      run: (input, context) =>
        withOwner(input, context, async ({ client }) => {
          const session = await client.session(input.id, { signal: context.signal });
          return done(listOf(entriesOf(session)), session);
        }),
    },
  );
  addChanges({ group, onCall });
  addRotateKey({ group, onCall });
};

const HEAD = ['SESSION', 'STATUS', 'PER PAYMENT', 'PER 24 H', 'LEFT', 'UNTIL', 'RECIPIENTS', 'KEY'];

const cellsOf = (session: Session): readonly string[] => [
  session.session_id,
  session.status,
  formatUsdc(session.max_per_tx),
  formatUsdc(session.daily_cap),
  formatUsdc(session.daily_remaining),
  timeOf(session.expiry),
  String(session.allowed_recipients.length),
  session.key_prefix ?? '',
];

const entriesOf = (session: Session): readonly (readonly [string, string])[] => [
  ['session', session.session_id],
  ['status', session.status],
  ['key', session.key_prefix === null ? '' : `${session.key_prefix}…`],
  ['one payment', `at most ${formatUsdc(session.max_per_tx)} USDC`],
  ['any 24 hours', `at most ${formatUsdc(session.daily_cap)} USDC`],
  ['spent', `${formatUsdc(session.daily_spent)} USDC, ${formatUsdc(session.daily_remaining)} left`],
  ['until', timeOf(session.expiry)],
  ['may make', kindsOf(session.allowed_instructions)],
  ['may pay', session.allowed_recipients.join(', ') || 'nobody'],
  ['account', session.session_pda],
];
