import { Option } from 'commander';
import { z } from 'zod';
import { address } from '../../command-line/inputs.ts';

/** The kinds of spends, and their bits in a session. */
const BIT_OF = { transfer: 1, 'yield-deposit': 2, 'yield-withdraw': 4 } as const;
const KINDS = ['transfer', 'yield-deposit', 'yield-withdraw'] as const;
const MOST_RECIPIENTS = 10;
const HOUR_SECONDS = 3_600;
const MOST_HOURS = 87_600;

export const MAX_PER_TX_OPTION = new Option('--max-per-tx <usdc>', 'the most of one payment');
export const DAILY_CAP_OPTION = new Option('--daily-cap <usdc>', 'the most in any 24 hours');
export const HOURS_OPTION = new Option('--hours <count>', 'how long the session lives from now');
export const newAllowOption = (): Option =>
  new Option('--allow <kinds>', `of ${KINDS.join(', ')}, separated by commas`);
export const RECIPIENT_OPTION = new Option(
  '--recipient <address...>',
  'whom the session may pay: up to ten wallets that have a USDC token account',
);

/** The bits of a list of kinds. */
export const allow = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(KINDS, { error: `must be of ${KINDS.join(', ')}` })))
  .transform((kinds) => kinds.reduce((bits, kind) => bits | BIT_OF[kind], 0));

/** Unix seconds. */
export const hours = z
  .string({ error: 'is missing: how many hours shall the session live?' })
  .refine((text) => /^\d{1,5}(\.\d{1,4})?$/.test(text) && Number(text) > 0, {
    error: 'must be a number of hours above 0',
  })
  .refine((text) => Number(text) <= MOST_HOURS, { error: `must be at most ${MOST_HOURS}` })
  .transform((text) => Math.floor(Date.now() / 1_000 + Number(text) * HOUR_SECONDS));

export const recipients = z
  .array(address)
  .max(MOST_RECIPIENTS, { error: `takes at most ${MOST_RECIPIENTS} addresses` });
