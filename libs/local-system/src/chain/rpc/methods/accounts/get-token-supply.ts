import { z } from 'zod';
import {
  readDecimals,
  readSupply,
  uiTokenAmount,
} from '../../../engine/accounts/token-balances.ts';
import { method } from '../../method.ts';
import { addressParam, bankOf, contextConfig } from '../../params.ts';
import { invalidParams } from '../../rpc-error.ts';
import { withContext } from '../../with-context.ts';

export const getTokenSupply = method(
  z.tuple([addressParam, contextConfig.nullish()]),
  (chain, [address, config]) => {
    const bank = bankOf(chain, config);
    const account = chain.account(address, bank.commitment);
    if (account === null) throw invalidParams('Invalid param: could not find account');
    const decimals = readDecimals(account);
    if (decimals === null) throw invalidParams('Invalid param: not a Token mint');
    return withContext(bank, uiTokenAmount(readSupply(account), decimals));
  },
);
