import { z } from 'zod';
import { accountJson } from '../../json/account-json.ts';
import { method } from '../../method.ts';
import { accountConfig, addressParam, bankOf } from '../../params.ts';
import { withContext } from '../../with-context.ts';

const MAX_ACCOUNTS = 100;

export const getMultipleAccounts = method(
  z.tuple([
    z.array(addressParam).max(MAX_ACCOUNTS, `Too many inputs provided; max ${MAX_ACCOUNTS}`),
    accountConfig.nullish(),
  ]),
  (chain, [addresses, config]) => {
    const bank = bankOf(chain, config);
    const read = (one: string) => chain.account(one, bank.commitment);
    const accounts = addresses.map((address) => accountJson(read(address), config, read));
    return withContext(bank, accounts);
  },
);
