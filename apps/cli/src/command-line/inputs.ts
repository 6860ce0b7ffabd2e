/** How the text of options and arguments is read. */
import { Option } from 'commander';
import { DEVNET, isAgentWalletError, usdc } from '@agent-wallet/sdk/owner';
import { decodeAddress } from '@agent-wallet/contract';
import { z } from 'zod';

const MOST_SECONDS = 86_400;

/** A text that must be given; `hint` says where it comes from. */
export const required = (hint: string) => {
  const error = `is missing: ${hint}`;
  return z.string({ error }).min(1, { error });
};

/** A decimal amount of USDC above 0, as base units. */
export const amount = z
  .string({ error: 'is missing: give an amount such as 0.25' })
  .transform((text, context): bigint => {
    try {
      const units = usdc(text);
      if (units > 0n) return units;
    } catch (error) {
      if (!isAgentWalletError(error, 'INVALID_AMOUNT')) throw error;
    }
    context.addIssue({
      code: 'custom',
      message: 'must be an amount of USDC above 0 such as 0.25, with at most six decimals',
    });
    return z.NEVER;
  });

export const address = z
  .string({ error: 'is missing: give a base58 address' })
  .refine((text) => decodeAddress(text) !== null, { error: 'must be a base58 address' });

export const httpUrl = (hint: string) =>
  required(hint).refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), {
    error: 'must be an http or https URL',
  });

export const uuid = z.guid({ error: 'must be an id such as 0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6071' });

/** A time such as 2026-11-23 or 2026-11-23T08:00:00Z. */
const time = z
  .string()
  .refine((text) => /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text)), {
    error: 'must be a time such as 2026-11-23 or 2026-11-23T08:00:00Z',
  })
  .transform((text) => new Date(text));

/** A whole number from 1 to `max`. */
export const count = (max: number) =>
  z
    .string({ error: `is missing: give a whole number from 1 to ${max}` })
    .regex(/^[1-9][0-9]{0,9}$/, { error: `must be a whole number from 1 to ${max}` })
    .transform(Number)
    .refine((value) => value <= max, { error: `must be a whole number from 1 to ${max}` });

/** The longest time that a command waits, in milliseconds. */
export const timeout = count(MOST_SECONDS).transform((seconds) => seconds * 1_000);

/** The API. */
export const URL_OPTION = new Option('--url <URL>', 'base URL of the API').env('AGENT_WALLET_URL');
export const url = httpUrl('give the URL of the API, or set AGENT_WALLET_URL');

export const TIMEOUT_OPTION = new Option(
  '--timeout <seconds>',
  'the longest time to wait for the API and the chain',
).default('120');

/** The deployment that the user trusts. */
export const DEPLOYMENT_OPTIONS: readonly Option[] = [
  new Option('--program <address>', 'the program of the vault')
    .env('PROGRAM_ID')
    .default(DEVNET.programId, 'its address on devnet'),
  new Option('--mint <address>', 'the mint of USDC')
    .env('USDC_MINT')
    .default(DEVNET.usdcMint, "Circle's on devnet"),
];

/** How lists of the API are filtered by time. */
export const PERIOD_OPTIONS: readonly Option[] = [
  new Option('--from <time>', 'of this time or later'),
  new Option('--to <time>', 'before this time'),
  new Option('--limit <count>', 'the most rows to show, newest first').default('50'),
];
export const period = {
  from: time.optional(),
  to: time.optional(),
  limit: count(100_000),
};

/** The first items of a list that is read page by page. */
export async function firstOf<Item>(list: AsyncIterable<Item>, limit: number): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) {
    items.push(item);
    if (items.length === limit) break;
  }
  return items;
}
