import { z } from 'zod';
import bs58 from 'bs58';
import type { AccountState } from '../../../engine/accounts/account-state.ts';
import { accountJson } from '../../json/account-json.ts';
import { method } from '../../method.ts';
import { accountConfig, addressParam, bankOf } from '../../params.ts';
import { invalidParams } from '../../rpc-error.ts';
import { withContext } from '../../with-context.ts';

const MAX_FILTERS = 4;
const MAX_FILTER_BYTES = 128;

const memcmp = z.object({
  offset: z.int().nonnegative(),
  bytes: z.string(),
  encoding: z.enum(['base58', 'base64']).nullish(),
});
const filterParam = z.union([z.object({ dataSize: z.int().nonnegative() }), z.object({ memcmp })]);
const config = accountConfig.extend({
  filters: z
    .array(filterParam)
    .max(MAX_FILTERS, `Too many filters provided; max ${MAX_FILTERS}`)
    .nullish(),
  withContext: z.boolean().nullish(),
});

type Filter = (account: AccountState) => boolean;

export const getProgramAccounts = method(
  z.tuple([addressParam, config.nullish()]),
  (chain, [program, options]) => {
    const bank = bankOf(chain, options);
    const read = (one: string) => chain.account(one, bank.commitment);
    const filters = (options?.filters ?? []).map(filterOf);
    const found: object[] = [];
    for (const [pubkey, account] of chain.programAccounts(program, bank.commitment)) {
      if (!filters.every((passes) => passes(account))) continue;
      found.push({ pubkey, account: accountJson(account, options, read) });
    }
    return options?.withContext === true ? withContext(bank, found) : found;
  },
);

function filterOf(filter: z.output<typeof filterParam>): Filter {
  if ('dataSize' in filter) return ({ data }) => data.length === filter.dataSize;
  const { offset, bytes, encoding } = filter.memcmp;
  const wanted = encoding === 'base64' ? Buffer.from(bytes, 'base64') : bs58.decodeUnsafe(bytes);
  if (wanted === undefined || wanted.length > MAX_FILTER_BYTES) {
    throw invalidParams(`Invalid params: a filter compares at most ${MAX_FILTER_BYTES} bytes`);
  }
  return ({ data }) => Buffer.compare(data.subarray(offset, offset + wanted.length), wanted) === 0;
}
