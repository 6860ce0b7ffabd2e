import { createPriorityFees } from '@agent-wallet/chain';
import type { SignedAttempt } from '@agent-wallet/spend';
import { createLocalSigner } from '@agent-wallet/signer';
import { ComputeBudgetInstruction, Keypair, Transaction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { facilitatedBasis, PROGRAM, SESSION_KEY } from '../../fixtures/facilitated-basis.ts';
import { createPrepareSpend } from './prepare-spend.ts';

const CAP_LAMPORTS = 1_000n;
const UNITS = 20_000;
const BASE_LAMPORTS = 10_000n;
const neverRead = (): Promise<never> => Promise.reject(new Error('must not be read'));

/** Signs the next attempt of a transfer of which this many attempts have expired. */
async function signAfter(expiredAttempts: number): Promise<SignedAttempt> {
  const { lane, spend, blockhash } = facilitatedBasis();
  const feePayer = createLocalSigner(Keypair.fromSeed(new Uint8Array(32).fill(8)));
  const prepare = createPrepareSpend({
    program: PROGRAM,
    keystore: { load: async () => SESSION_KEY },
    feePayerOf: () => feePayer,
    isOurFeePayer: () => true,
    priorityFees: createPriorityFees({
      rpc: { recentPriorityFees: neverRead },
      floor: 1n,
      capLamports: CAP_LAMPORTS,
    }),
    computeUnitLimit: UNITS,
    simulatePayment: neverRead,
    rpc: { accounts: neverRead },
    blockhashes: { current: async () => blockhash, [Symbol.asyncDispose]: async () => {} },
    reserve: null,
  });
  const prepared = await prepare(lane, {
    ...spend,
    kind: 'transfer',
    broadcaster: 'worker',
    attempt: expiredAttempts,
    spendSeq: expiredAttempts === 0 ? null : 7n,
  });
  if (prepared.kind !== 'signed') throw new Error(prepared.detail);
  return prepared.signed;
}

function priceIn({ wire }: SignedAttempt): bigint {
  const [, price] = Transaction.from(Buffer.from(wire)).instructions;
  if (price === undefined) throw new Error('no price');
  return BigInt(ComputeBudgetInstruction.decodeSetComputeUnitPrice(price).microLamports);
}

test('an attempt that is signed again offers more, within the limit, and counts what it costs', async () => {
  const attempts = await Promise.all([0, 1, 2].map(signAfter));
  expect(attempts.map(priceIn)).toEqual([1n, 5_000n, 50_000n]);
  expect(attempts.map(({ feeLamports }) => feeLamports)).toEqual([
    BASE_LAMPORTS + 1n,
    BASE_LAMPORTS + 100n,
    BASE_LAMPORTS + CAP_LAMPORTS,
  ]);
});
