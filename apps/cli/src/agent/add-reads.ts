import { formatUsdc, type Limits, type Quote } from '@agent-wallet/sdk';
import { Option } from 'commander';
import { z } from 'zod';
import { CliError, EXIT } from '../cli-error.ts';
import { addCommand } from '../command-line/add-command.ts';
import { address, amount, httpUrl } from '../command-line/inputs.ts';
import { done } from '../command-line/outcome.ts';
import type { AddCommands } from '../command-line/parse-command-line.ts';
import { kindsOf, timeOf } from '../owner/describe-instruction.ts';
import { listOf } from '../terminal/table.ts';
import { AGENT_OPTIONS, agentInput, openAgent } from './with-agent.ts';

/** What an agent can look at without paying. */
export const addReads: AddCommands = (to) => {
  addCommand(to, {
    usage: 'position',
    summary: 'show the balance of the vault; works with every key',
    options: AGENT_OPTIONS,
    examples: ['agent position --url https://api.example.com'],
    input: agentInput,
    run: async (input, context) => {
      const position = await openAgent(input, context).position({ signal: context.signal });
      const { liquid, deployed } = position;
      const text = listOf([
        ['in the vault', liquid === null ? 'not readable now' : `${formatUsdc(liquid)} USDC`],
        ['in the reserve', `${formatUsdc(deployed)} USDC deployed`],
      ]);
      return done(text, position);
    },
  });
  addCommand(to, {
    usage: 'limits',
    summary: 'show what the key may spend now, and whom it may pay',
    options: AGENT_OPTIONS,
    examples: ['agent limits', 'agent limits --json'],
    input: agentInput,
    run: async (input, context) => {
      const limits = await openAgent(input, context).limits({ signal: context.signal });
      return done(listOf(entriesOf(limits)), limits);
    },
  });
  addQuote(to);
};

const addQuote: AddCommands = (to) => {
  addCommand(to, {
    usage: 'quote <amount>',
    summary: 'show whether a payment would pass now; nothing moves',
    options: [
      new Option(
        '--recipient <address>',
        'the transfer, or the payment for --pay-url, to this wallet',
      ),
      new Option('--service <slug>', 'a service of the catalog at this price'),
      new Option('--pay-url <URL>', 'a payment for a URL of the allowlist, with --recipient'),
      ...AGENT_OPTIONS,
    ],
    examples: ['agent quote 0.25 --recipient <address>', 'agent quote 0.02 --service weather'],
    input: agentInput.extend({
      amount,
      recipient: address.optional(),
      service: z.string().optional(),
      payUrl: httpUrl('give the URL').optional(),
    }),
    run: async (input, context) => {
      const spend = spendOf(input);
      const quote = await openAgent(input, context).quote(spend, { signal: context.signal });
      const exitCode = quote.allowed ? EXIT.done : EXIT.refused;
      return { exitCode, text: quoteLines(quote).join('\n'), json: quote };
    },
  });
};

function spendOf(input: {
  readonly amount: bigint;
  readonly recipient?: string | undefined;
  readonly service?: string | undefined;
  readonly payUrl?: string | undefined;
}) {
  const { amount: units, recipient, service, payUrl } = input;
  if (service !== undefined && recipient === undefined && payUrl === undefined) {
    return { kind: 'pay_service' as const, slug: service, amount: units };
  }
  if (service === undefined && recipient !== undefined) {
    return payUrl === undefined
      ? { kind: 'transfer' as const, recipient, amount: units }
      : { kind: 'sign_payment' as const, url: payUrl, recipient, amount: units };
  }
  throw new CliError('Give --recipient, --service, or --pay-url with --recipient: try --help.');
}

function quoteLines({ allowed, fits_at: fitsAt, refusals }: Quote): readonly string[] {
  if (allowed) return ['It would pass now.'];
  const reasons = refusals.map(({ error, code, remedy }) =>
    [error === code ? code : `${error} (${code})`, ...(remedy === undefined ? [] : [remedy])].join(
      ': ',
    ),
  );
  const later = fitsAt === null ? [] : [`By waiting alone it would pass from ${timeOf(fitsAt)}.`];
  return ['It would be refused:', ...reasons.map((reason) => `  ${reason}`), ...later];
}

const entriesOf = (limits: Limits): readonly (readonly [string, string])[] => [
  ['session', `${limits.session_id}, ${limits.status}${limits.paused ? ', paused' : ''}`],
  ['in the vault', `${formatUsdc(limits.liquid)} USDC`],
  ['one payment', `at most ${formatUsdc(limits.max_per_tx)} USDC`],
  ['any 24 hours', `at most ${formatUsdc(limits.daily_cap)} USDC`],
  ['spent', `${formatUsdc(limits.daily_spent)} USDC, ${formatUsdc(limits.daily_remaining)} left`],
  ['until', timeOf(limits.expiry)],
  ['may make', kindsOf(limits.allowed_instructions)],
  ['may pay', limits.allowed_recipients.join(', ') || 'nobody'],
  ...limits.url_allowlist.map(
    ({ pattern, max_per_call: most }) =>
      ['may pay at', `${pattern}, at most ${formatUsdc(most)} USDC a call`] as const,
  ),
  [
    'open now',
    limits.window_open
      ? 'yes'
      : `no${limits.opens_at === null ? '' : `, from ${timeOf(limits.opens_at)}`}`,
  ],
];
