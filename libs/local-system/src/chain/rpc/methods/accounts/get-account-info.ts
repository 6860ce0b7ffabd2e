import { z } from 'zod';
import { accountJson } from '../../json/account-json.ts';
import { method } from '../../method.ts';
import { accountConfig, addressParam, bankOf } from '../../params.ts';
import { withContext } from '../../with-context.ts';

export const getAccountInfo = method(
  z.tuple([addressParam, accountConfig.nullish()]),
  (chain, [address, config]) => {
    const bank = bankOf(chain, config);
    const read = (one: string) => chain.account(one, bank.commitment);
    return withContext(bank, accountJson(read(address), config, read));
  },
);
