import { decodeAddress, MAX_AMOUNT } from '@agent-wallet/contract';
import { judgeServiceUrl } from '@agent-wallet/policy/services';
import { type Service, SERVICE_METHODS, SERVICE_PROOFS } from '@agent-wallet/spend';
import { CliError } from '../../cli-error.ts';

/** The words of a `catalog` command. */
export type CatalogInput =
  | { readonly kind: 'catalog_list' }
  | { readonly kind: 'catalog_add'; readonly slug: string; readonly options: EntryOptions }
  | {
      readonly kind: 'catalog_enable' | 'catalog_disable' | 'catalog_remove';
      readonly slug: string;
    };

/** A parsed `catalog` command. The URL of an entry is checked later, with the settings. */
export type CatalogCommand =
  | { readonly kind: 'catalog_list' }
  | { readonly kind: 'catalog_add'; readonly entry: Omit<Service, 'createdAt'> }
  | {
      readonly kind: 'catalog_enable' | 'catalog_disable' | 'catalog_remove';
      readonly slug: string;
    };

const SLUG = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const MOST_NAME_CHARS = 100;

/** The options of `catalog add`, as they were given. */
type EntryOptions = {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly payTo?: string | undefined;
  readonly maxPrice?: string | undefined;
  readonly method?: string | undefined;
  readonly proof?: string | undefined;
  readonly enabled?: boolean | undefined;
};

/** Parses the words of a command. Throws a CliError. */
export function readCatalogInput(input: CatalogInput): CatalogCommand {
  switch (input.kind) {
    case 'catalog_list':
      return input;
    case 'catalog_add':
      return { kind: input.kind, entry: readEntry(readSlug(input.slug), input.options) };
    default:
      return { kind: input.kind, slug: readSlug(input.slug) };
  }
}

/**
 * Returns the URL of an entry as it is stored. Throws a CliError unless it is an https URL of a
 * public host without wildcard and query, or has an origin in `loopbackOrigins`.
 */
export function readServiceUrl(text: string, loopbackOrigins: readonly string[]): string {
  const judged = judgeServiceUrl(text, loopbackOrigins);
  if (!judged.ok) throw new CliError(`--url ${judged.reason}.`);
  if (judged.url.search !== '') throw new CliError('--url must not contain a query.');
  return judged.url.href;
}

function readSlug(slug: string): string {
  if (SLUG.test(slug)) return slug;
  throw new CliError('A slug has 1 to 63 lower-case letters, digits and inner hyphens.');
}

function readEntry(slug: string, values: EntryOptions): Omit<Service, 'createdAt'> {
  const name = values.name ?? slug;
  if (name.length < 1 || name.length > MOST_NAME_CHARS) {
    throw new CliError(`--name takes 1 to ${MOST_NAME_CHARS} characters.`);
  }
  if (values.url === undefined) throw new CliError('--url is missing: where is the service?');
  return {
    slug,
    name,
    baseUrl: values.url,
    enabled: values.enabled ?? false,
    payTo: readPayee(values.payTo),
    maxPrice: readPrice(values.maxPrice),
    method: values.method === undefined ? null : oneOf(SERVICE_METHODS, values.method, '--method'),
    proof: oneOf(SERVICE_PROOFS, values.proof ?? 'x-payment-proof', '--proof'),
  };
}

function readPayee(text: string | undefined): string {
  if (text === undefined) throw new CliError('--pay-to is missing: which address is paid?');
  if (decodeAddress(text) !== null) return text;
  throw new CliError('--pay-to must be a base58 address of 32 bytes.');
}

function readPrice(text: string | undefined): bigint {
  if (text === undefined) throw new CliError('--max-price is missing: how much may a call cost?');
  const isAmount = /^[1-9][0-9]{0,19}$/.test(text) && BigInt(text) <= MAX_AMOUNT;
  if (isAmount) return BigInt(text);
  throw new CliError(`--max-price must be a whole number from 1 to ${MAX_AMOUNT}, in base units.`);
}

function oneOf<Word extends string>(words: readonly Word[], text: string, option: string): Word {
  const word = words.find((known) => known === text);
  if (word !== undefined) return word;
  throw new CliError(`${option} must be one of ${words.join(', ')}.`);
}
