import { z } from 'zod';
import { describeTransactionError } from '../../../engine/transactions/transaction-error.ts';
import { method } from '../../method.ts';
import { addressParam, contextConfig } from '../../params.ts';
import { invalidParams } from '../../rpc-error.ts';

export const requestAirdrop = method(
  z.tuple([addressParam, z.int().positive(), contextConfig.nullish()]),
  (chain, [address, lamports]) => {
    const transfer = chain.airdrop(address, lamports);
    const submission = chain.submit(transfer, { preflight: 'processed' });
    if (submission.kind === 'landed') return submission.landed.signature;
    throw invalidParams(describeTransactionError(submission.execution.err ?? ''));
  },
);
