import { Option } from 'commander';
import { type AuditItem, formatUsdc } from '@agent-wallet/sdk/owner';
import { z } from 'zod';
import { addCommand } from '../command-line/add-command.ts';
import { firstOf, period, PERIOD_OPTIONS, uuid } from '../command-line/inputs.ts';
import { done } from '../command-line/outcome.ts';
import type { AddCommands } from '../command-line/parse-command-line.ts';
import {
  KIND_OPTION,
  SPENDS_HEAD,
  spendKind,
  spendCells,
  spendStatus,
  STATUS_OPTION,
} from '../spends-table.ts';
import { tableOf } from '../terminal/table.ts';
import { OWNER_OPTIONS, ownerInput } from './owner-inputs.ts';
import { withOwner } from './with-owner.ts';

const SESSION_OPTION = new Option('--session <id>', 'only of this session');
const AUDIT_HEAD = [
  'TIME',
  'DECISION',
  'ACTION',
  'USDC',
  'RECIPIENT OR URL',
  'REASON',
  'TRANSACTION',
];

/** The decisions and the spends of all sessions. */
export const addLogs: AddCommands = (owner) => {
  addCommand(owner, {
    usage: 'audit',
    summary: 'list the decisions of the audit log, newest first',
    options: [
      new Option('--decision <decision>', 'allow or deny'),
      SESSION_OPTION,
      ...PERIOD_OPTIONS,
      ...OWNER_OPTIONS,
    ],
    examples: ['owner audit --decision deny --from 2026-11-01', 'owner audit --json --limit 1000'],
    input: ownerInput.extend({
      decision: z.enum(['allow', 'deny'], { error: 'must be allow or deny' }).optional(),
      session: uuid.optional(),
      ...period,
    }),
    run: ({ decision, session, from, to, limit, ...input }, context) =>
      withOwner(input, context, async ({ client }) => {
        const filter = { decision, session_id: session, from, to };
        const items = await firstOf(client.audit(filter, { signal: context.signal }), limit);
        return done(tableOf(AUDIT_HEAD, items.map(auditCells)), items);
      }),
  });
  addCommand(owner, {
    usage: 'spends',
    summary: 'list the spends of all sessions, newest first, pending ones too',
    options: [SESSION_OPTION, STATUS_OPTION, KIND_OPTION, ...PERIOD_OPTIONS, ...OWNER_OPTIONS],
    examples: ['owner spends --status pending', 'owner spends --from 2026-11-01 --limit 200'],
    input: ownerInput.extend({
      session: uuid.optional(),
      status: spendStatus,
      kind: spendKind,
      ...period,
    }),
    run: ({ session, status, kind, from, to, limit, ...input }, context) =>
      withOwner(input, context, async ({ client }) => {
        const filter = { session_id: session, status, kind, from, to };
        const items = await firstOf(client.spends(filter, { signal: context.signal }), limit);
        return done(tableOf(SPENDS_HEAD, items.map(spendCells)), items);
      }),
  });
};

const auditCells = (item: AuditItem): readonly string[] => [
  item.created_at,
  item.correction === 0 ? item.decision : `${item.decision} (correction ${item.correction})`,
  item.action,
  item.amount === null ? '' : formatUsdc(item.amount),
  item.recipient_or_url ?? '',
  item.reason ?? '',
  item.tx_signature ?? item.detail_signature ?? '',
];
