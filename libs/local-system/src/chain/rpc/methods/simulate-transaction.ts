import bs58 from 'bs58';
import { z } from 'zod';
import { VALID_BLOCKS } from '../../engine/blockhashes.ts';
import { accountJson } from '../account-json.ts';
import { parsedInnerInstructionsJson, simulationJson } from '../execution-json.ts';
import { method } from '../method.ts';
import { accountConfig, addressParam, bankOf, contextConfig } from '../params.ts';
import { invalidParams, signatureFailure } from '../rpc-error.ts';
import { readTransactionParam, transactionEncoding } from '../transaction-param.ts';
import { withContext } from '../with-context.ts';

const config = contextConfig.extend({
  encoding: transactionEncoding,
  sigVerify: z.boolean().nullish(),
  replaceRecentBlockhash: z.boolean().nullish(),
  innerInstructions: z.boolean().nullish(),
  accounts: z
    .object({ encoding: accountConfig.shape.encoding, addresses: z.array(addressParam) })
    .nullish(),
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
    const { execution, accounts, keys } = chain.simulate(transaction, {
      verifySignatures,
      checkBlockhash: !replaces,
    });
    if (execution.err === 'SignatureFailure') throw signatureFailure();
    const read = (one: string) => accounts.get(one) ?? chain.account(one, bank.commitment);
    const { bytes, height } = chain.blockhash(bank.commitment);
    const wanted = options?.accounts;
    return withContext(bank, {
      ...simulationJson(execution),
      ...(wanted && {
        accounts: wanted.addresses.map((one) =>
          execution.err === null
            ? accountJson(read(one), { encoding: wanted.encoding }, read)
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
