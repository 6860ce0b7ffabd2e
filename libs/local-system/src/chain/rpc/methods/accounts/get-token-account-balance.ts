import { z } from 'zod';
import {
  readDecimals,
  readTokenAccount,
  uiTokenAmount,
} from '../../../engine/accounts/token-balances.ts';
import { method } from '../../method.ts';
import { addressParam, bankOf, contextConfig } from '../../params.ts';
import { invalidParams } from '../../rpc-error.ts';
import { withContext } from '../../with-context.ts';

export const getTokenAccountBalance = method(
  z.tuple([addressParam, contextConfig.nullish()]),
  (chain, [address, config]) => {
    const bank = bankOf(chain, config);
    const account = chain.account(address, bank.commitment);
    if (account === null) throw invalidParams('Invalid param: could not find account');
    const token = readTokenAccount(account);
    if (token === null) throw invalidParams('Invalid param: not a Token account');
    const decimals = readDecimals(chain.account(token.mint, bank.commitment));
    if (decimals === null) throw invalidParams('Invalid param: could not find mint');
    return withContext(bank, uiTokenAmount(token.amount, decimals));
  },
);
