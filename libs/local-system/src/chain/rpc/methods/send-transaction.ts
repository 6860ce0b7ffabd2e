import { z } from 'zod';
import type { Commitment } from '../../engine/account-state.ts';
import type { ChainEngine } from '../../engine/chain-engine.ts';
import { refusedExecution } from '../../engine/execution.ts';
import { signatureOf } from '../../engine/landed-transaction.ts';
import { describeTransactionError } from '../../engine/transaction-error.ts';
import type { WireTransaction } from '../../engine/wire-transaction.ts';
import { simulationJson } from '../execution-json.ts';
import { method } from '../method.ts';
import { bankOf, commitmentParam } from '../params.ts';
import { preflightFailure, signatureFailure } from '../rpc-error.ts';
import {
  readTransactionParam,
  refuseUnreadable,
  transactionEncoding,
} from '../transaction-param.ts';

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
    const refusesFailures = options?.skipPreflight !== true;
    if (refusesFailures) refuseNewerBlockhash(chain, transaction, commitment);
    const submission = chain.submit(transaction, { refusesFailures });
    if (submission.kind === 'refused') refuseUnreadable(submission.execution.err);
    if (submission.kind === 'refused' && refusesFailures) {
      const { execution } = submission;
      const err = execution.err ?? '';
      if (err === 'SignatureFailure') throw signatureFailure();
      throw preflightFailure(describeTransactionError(err), simulationJson(execution));
    }
    return submission.kind === 'landed' ? submission.landed.signature : signatureOf(transaction);
  },
);

/** Preflight knows no blockhash that is newer than its bank: the default is `finalized`. */
function refuseNewerBlockhash(
  chain: ChainEngine,
  { message: { blockhash } }: WireTransaction,
  commitment: Commitment,
): void {
  if (!chain.isBlockhashValid(blockhash, 'processed')) return;
  if (chain.isBlockhashValid(blockhash, commitment)) return;
  const err = 'BlockhashNotFound';
  throw preflightFailure(describeTransactionError(err), simulationJson(refusedExecution(err)));
}
