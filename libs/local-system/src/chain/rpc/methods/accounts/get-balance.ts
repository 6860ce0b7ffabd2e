import { z } from 'zod';
import { method } from '../../method.ts';
import { addressParam, bankOf, contextConfig } from '../../params.ts';
import { u64 } from '../../json/u64.ts';
import { withContext } from '../../with-context.ts';

export const getBalance = method(
  z.tuple([addressParam, contextConfig.nullish()]),
  (chain, [address, config]) => {
    const bank = bankOf(chain, config);
    const account = chain.account(address, bank.commitment);
    return withContext(bank, u64(account?.lamports ?? 0n));
  },
);
