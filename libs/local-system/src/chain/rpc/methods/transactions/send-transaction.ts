import { z } from 'zod';
import { signatureOf } from '../../../engine/history/landed-transaction.ts';
import { describeTransactionError } from '../../../engine/transactions/transaction-error.ts';
import { simulationJson } from '../../json/execution-json.ts';
import { method } from '../../method.ts';
import { bankOf, commitmentParam } from '../../params.ts';
import { preflightFailure, signatureFailure } from '../../rpc-error.ts';
import {
  readTransactionParam,
  refuseUnreadable,
  transactionEncoding,
} from '../../transaction-param.ts';

const config = z.object({
  encoding: transactionEncoding,
  skipPreflight: z.boolean().nullish(),
  preflightCommitment: commitmentParam.nullish(),
  minContextSlot: z.int().nonnegative().nullish(),
  maxRetries: z.int().nonnegative().nullish(),
});

/**
 * Lands a transaction in the newest slot. With preflight, one that would fail is refused. Without,
 * one that can never land gets its signature as an answer all the same, as from a node.
 */
export const sendTransaction = method(
  z.tuple([z.string(), config.nullish()]),
  (chain, [text, options]) => {
    const transaction = readTransactionParam(text, options?.encoding);
    const { commitment } = bankOf(chain, {
      commitment: options?.preflightCommitment,
      minContextSlot: options?.minContextSlot,
    });
    const preflight = options?.skipPreflight === true ? null : commitment;
    const submission = chain.submit(transaction, { preflight });
    if (submission.kind === 'landed') return submission.landed.signature;
    const { execution } = submission;
    refuseUnreadable(execution.err);
    if (submission.kind === 'dropped') return signatureOf(transaction);
    const err = execution.err ?? '';
    if (err === 'SignatureFailure') throw signatureFailure();
    throw preflightFailure(describeTransactionError(err), simulationJson(execution));
  },
);
