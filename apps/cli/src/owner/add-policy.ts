import { readFileSync } from 'node:fs';
import { formatUsdc, type Policy } from '@agent-wallet/sdk/owner';
import { z } from 'zod';
import { CliError } from '../cli-error.ts';
import { addCommand } from '../command-line/add-command.ts';
import { amount } from '../command-line/inputs.ts';
import { done } from '../command-line/outcome.ts';
import type { AddCommands } from '../command-line/parse-command-line.ts';
import { OWNER_OPTIONS, ownerInput, YES_OPTION } from './owner-inputs.ts';
import { withOwner } from './with-owner.ts';

/** As the API has it, except that amounts are decimal strings of USDC. Nothing may be left out. */
const policyFile = z.strictObject({
  url_allowlist: z.array(z.strictObject({ pattern: z.string(), max_per_call: amount })),
  time_window: z
    .strictObject({
      start_min: z.int(),
      end_min: z.int(),
      days: z.int(),
      timezone: z.string(),
    })
    .nullable(),
});
type PolicyFile = z.output<typeof policyFile>;

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const HOUR = 60;

export const addPolicy: AddCommands = ({ group: owner, onCall }) => {
  const group = owner.command('policy').description('the off-chain rules: URLs and opening hours');
  addCommand(
    { group, onCall },
    {
      usage: 'show',
      summary: 'show the rules in force; with --json in the form that set takes, with a version',
      options: OWNER_OPTIONS,
      examples: ['owner policy show --keypair owner.json'],
      input: ownerInput,
      run: (input, context) =>
        withOwner(input, context, async ({ client }) => {
          const policy = await client.policy({ signal: context.signal });
          return done([`version ${policy.version}`, ...linesOf(policy)], policy);
        }),
    },
  );
  addCommand(
    { group, onCall },
    {
      usage: 'set <file>',
      summary:
        'replace all rules by those of a JSON file; takes effect at once, without a transaction',
      options: [...OWNER_OPTIONS, YES_OPTION],
      examples: [
        'owner policy set policy.json',
        `owner policy set policy.json   with {"url_allowlist":[{"pattern":"https://api.example.com/v1/**","max_per_call":"0.05"}],"time_window":null}`,
      ],
      input: ownerInput.extend({ file: z.string() }),
      run: (input, context) => {
        const wanted = readPolicyFile(input.file);
        return withOwner(input, context, async ({ client }) => {
          const lines = linesOf(wanted).map((line) => `  ${line}`);
          await context.terminal.agree(['All rules will be replaced by these:', ...lines]);
          const policy = await client.setPolicy(wanted, { signal: context.signal });
          return done(`Version ${policy.version} of the rules is in force.`, policy);
        });
      },
    },
  );
};

function readPolicyFile(file: string): PolicyFile {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new CliError(`${file} cannot be read as JSON.`, { cause });
  }
  const read = policyFile.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new CliError(`${file}: ${issue?.path.join('.') || 'the policy'}: ${issue?.message}.`);
}

function linesOf({ url_allowlist: urls, time_window: window }: PolicyFile | Policy): string[] {
  const entries = urls.map(
    ({ pattern, max_per_call: most }) => `${pattern}, at most ${formatUsdc(most)} USDC a call`,
  );
  const hours =
    window === null
      ? 'agents can spend at any time'
      : `agents can spend from ${minuteOf(window.start_min)} to ${minuteOf(window.end_min)} on ` +
        `${daysOf(window.days)}, ${window.timezone}`;
  return [...(entries.length === 0 ? ['no URL can be paid'] : entries), hours];
}

const minuteOf = (minute: number): string =>
  [Math.floor(minute / HOUR), minute % HOUR].map((part) => String(part).padStart(2, '0')).join(':');

const daysOf = (bits: number): string => {
  const days = DAYS.filter((_day, bit) => (bits & (1 << bit)) !== 0);
  return days.length === 0 ? 'no day' : days.join(' ');
};
