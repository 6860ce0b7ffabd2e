import { z } from 'zod';
import { isTokenProgram, readTokenAccount } from '../../../engine/accounts/token-balances.ts';
import { accountJson } from '../../json/account-json.ts';
import { method } from '../../method.ts';
import { accountConfig, addressParam, bankOf } from '../../params.ts';
import { invalidParams } from '../../rpc-error.ts';
import { withContext } from '../../with-context.ts';

const filter = z.union([
  z.strictObject({ mint: addressParam }),
  z.strictObject({ programId: addressParam }),
]);

export const getTokenAccountsByOwner = method(
  z.tuple([addressParam, filter, accountConfig.nullish()]),
  (chain, [owner, by, config]) => {
    const bank = bankOf(chain, config);
    const read = (one: string) => chain.account(one, bank.commitment);
    const program = 'mint' in by ? read(by.mint)?.owner : by.programId;
    if (program === undefined) throw invalidParams('Invalid param: could not find mint');
    if (!isTokenProgram(program))
      throw invalidParams('Invalid param: unrecognized Token program id');
    const value: object[] = [];
    for (const [pubkey, account] of chain.programAccounts(program, bank.commitment)) {
      const token = readTokenAccount(account);
      if (token?.owner !== owner || ('mint' in by && token.mint !== by.mint)) continue;
      value.push({ pubkey, account: accountJson(account, config, read) });
    }
    return withContext(bank, value);
  },
);
