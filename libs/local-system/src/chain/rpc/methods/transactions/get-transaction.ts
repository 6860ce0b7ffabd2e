import { z } from 'zod';
import { method } from '../../method.ts';
import { bankOf, contextConfig, signatureParam } from '../../params.ts';
import { invalidParams, unsupportedVersion } from '../../rpc-error.ts';
import { transactionJson } from '../../json/transaction-json.ts';

const encodingParam = z.enum(['json', 'jsonParsed', 'base58', 'base64', 'binary']);
const config = contextConfig.extend({
  encoding: encodingParam.nullish(),
  maxSupportedTransactionVersion: z.int().nonnegative().nullish(),
});

/** Null when it is not in the history at that commitment. */
export const getTransaction = method(
  z.tuple([signatureParam, z.union([encodingParam, config]).nullish()]),
  (chain, [signature, given]) => {
    const options = typeof given === 'string' ? { encoding: given } : given;
    if (options?.commitment === 'processed') {
      throw invalidParams('Method does not support commitment below `confirmed`');
    }
    const { slot } = bankOf(chain, options);
    const landed = chain.history.read(signature);
    if (landed === undefined || landed.slot > slot) return null;
    const { version } = landed.transaction.message;
    const isUnasked = (options?.maxSupportedTransactionVersion ?? null) === null;
    if (version !== 'legacy' && isUnasked) throw unsupportedVersion(version);
    return transactionJson(landed, options?.encoding ?? 'json');
  },
);
