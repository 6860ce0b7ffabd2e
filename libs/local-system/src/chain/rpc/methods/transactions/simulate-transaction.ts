import bs58 from 'bs58';
import { z } from 'zod';
import { VALID_BLOCKS } from '../../../engine/slots/blockhashes.ts';
import type { AccountState } from '../../../engine/accounts/account-state.ts';
import { accountJson } from '../../json/account-json.ts';
import { parsedInnerInstructionsJson, simulationJson } from '../../json/execution-json.ts';
import { method } from '../../method.ts';
import { accountConfig, addressParam, bankOf, contextConfig } from '../../params.ts';
import { invalidParams, signatureFailure } from '../../rpc-error.ts';
import type { WireTransaction } from '../../../engine/transactions/wire-transaction.ts';
import {
  readTransactionParam,
  refuseUnreadable,
  transactionEncoding,
} from '../../transaction-param.ts';
import { withContext } from '../../with-context.ts';

const accountsConfig = z.object({
  encoding: accountConfig.shape.encoding,
  addresses: z.array(addressParam),
});

const config = contextConfig.extend({
  encoding: transactionEncoding,
  sigVerify: z.boolean().nullish(),
  replaceRecentBlockhash: z.boolean().nullish(),
  innerInstructions: z.boolean().nullish(),
  accounts: accountsConfig.nullish(),
});

export const simulateTransaction = method(
  z.tuple([z.string(), config.nullish()]),
  (chain, [text, options]) => {
    const transaction = readTransactionParam(text, options?.encoding);
    const verifySignatures = options?.sigVerify === true;
    const replaces = options?.replaceRecentBlockhash === true;
    if (verifySignatures && replaces) {
      throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
    }
    const bank = bankOf(chain, options);
    const wanted = readableAccounts(options?.accounts, transaction);
    const { execution, accounts, keys } = chain.simulate(transaction, {
      commitment: bank.commitment,
      verifySignatures,
      checkBlockhash: !replaces,
    });
    if (execution.err === 'SignatureFailure') throw signatureFailure();
    refuseUnreadable(execution.err);
    const after = wanted ? accounts() : new Map<string, AccountState>();
    const read = (one: string) => after.get(one) ?? chain.account(one, bank.commitment);
    const { bytes, height } = chain.blockhash(bank.commitment);
    return withContext(bank, {
      ...simulationJson(execution),
      ...(wanted && {
        accounts: wanted.addresses.map((one) =>
          execution.err === null
            ? accountJson(read(one), { encoding: wanted.encoding ?? 'base64' }, read)
            : null,
        ),
      }),
      ...(options?.innerInstructions === true && {
        innerInstructions: parsedInnerInstructionsJson(execution.inner, keys),
      }),
      ...(replaces && {
        replacementBlockhash: {
          blockhash: bs58.encode(bytes),
          lastValidBlockHeight: height + VALID_BLOCKS,
        },
      }),
    });
  },
);

/** Throws -32602 for what no node shows with a simulation. */
function readableAccounts(
  wanted: z.output<typeof accountsConfig> | null | undefined,
  { message: { keys, lookups } }: WireTransaction,
): z.output<typeof accountsConfig> | null | undefined {
  if (wanted?.encoding === 'base58' || wanted?.encoding === 'binary') {
    throw invalidParams('base58 encoding not supported');
  }
  const loaded = lookups.reduce((sum, one) => sum + one.writable.length + one.readonly.length, 0);
  const most = keys.length + loaded;
  if (wanted && wanted.addresses.length > most) {
    throw invalidParams(`Too many accounts provided; max ${most}`);
  }
  return wanted;
}
