import { setTimeout as delay } from 'node:timers/promises';
import {
  ComputeBudgetProgram,
  type Connection,
  type Keypair,
  SendTransactionError,
  type Signer,
  Transaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import { ClusterError } from '../cluster-error.ts';

/** Lands these instructions, signed by the payer and by `signers`; returns the signature. */
export type Send = (
  instructions: readonly TransactionInstruction[],
  signers?: readonly Signer[],
) => Promise<string>;

const MAX_TRANSACTIONS = 5;
const POLL_MS = 400;
const CALL_TRIES = 6;
const FIRST_PAUSE_MS = 500;

/**
 * Sends transactions until they are confirmed. Bytes that have expired, by finalized blocks, are
 * signed again, at most five times; a repetition of what landed unseen fails on chain, and the
 * caller reads the state first. Throws a ClusterError for a transaction that the chain refuses.
 */
export function createSend(
  connection: Connection,
  payer: Keypair,
  { microLamports = 0 }: { readonly microLamports?: number } = {},
): Send {
  return async (instructions, signers = []) => {
    for (let count = 0; count < MAX_TRANSACTIONS; count += 1) {
      const latest = await call(() => connection.getLatestBlockhash('confirmed'));
      const transaction = new Transaction({ feePayer: payer.publicKey, ...latest });
      if (microLamports > 0) {
        transaction.add(ComputeBudgetProgram.setComputeUnitPrice({ microLamports }));
      }
      transaction.add(...instructions).sign(payer, ...signers);
      const wire = transaction.serialize();
      const signature = await call(() => connection.sendRawTransaction(wire));
      if (await lands(connection, { wire, signature, until: latest.lastValidBlockHeight })) {
        return signature;
      }
    }
    throw new ClusterError(
      `The chain took none of ${MAX_TRANSACTIONS} transactions: set --priority-fee, and run this again.`,
    );
  };
}

/** False when the transaction has expired, by finalized blocks. */
async function lands(
  connection: Connection,
  sent: { readonly wire: Uint8Array; readonly signature: string; readonly until: number },
): Promise<boolean> {
  for (;;) {
    const height = await call(() => connection.getBlockHeight('finalized'));
    const { value } = await call(() =>
      connection.getSignatureStatuses([sent.signature], { searchTransactionHistory: true }),
    );
    const [status] = value;
    if (status?.err) {
      throw new ClusterError(`${sent.signature} failed on chain: ${JSON.stringify(status.err)}`);
    }
    if (status?.confirmationStatus === 'confirmed') return true;
    if (status?.confirmationStatus === 'finalized') return true;
    if (height > sent.until) return false;
    await delay(POLL_MS);
    // The same bytes land once at most.
    await connection
      .sendRawTransaction(sent.wire, { skipPreflight: true, maxRetries: 0 })
      .catch(() => undefined);
  }
}

/** One RPC call, tried again when the endpoint does not respond or limits the rate. */
export async function call<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (error instanceof SendTransactionError) {
        const logs = error.logs?.join('\n') ?? '';
        throw new ClusterError(`The chain refuses the transaction: ${error.message}\n${logs}`);
      }
      if (tries === CALL_TRIES) {
        throw new ClusterError('The RPC endpoint does not respond: run this again later.', {
          cause: error,
        });
      }
      await delay(FIRST_PAUSE_MS * 2 ** (tries - 1));
    }
  }
}
