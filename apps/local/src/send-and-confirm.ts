import { setTimeout as delay } from 'node:timers/promises';
import {
  ComputeBudgetProgram,
  type Connection,
  type Keypair,
  Transaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import { StartError } from './start-error.ts';

const CONFIRM_TIMEOUT_MS = 30_000;
const CONFIRM_INTERVAL_MS = 100;
const COMPUTE_UNITS = 200_000;
const COMPUTE_UNIT_NONCES = 100_000;

/** Sends instructions as one chain transaction and waits until it is confirmed; its signature. */
export type SendAndConfirm = (instructions: readonly TransactionInstruction[]) => Promise<string>;

/**
 * Chain transactions that `payer` alone signs and pays for. Each rejects with a StartError when it
 * failed or never landed.
 */
export function createSendAndConfirm(connection: Connection, payer: Keypair): SendAndConfirm {
  let nonce = 0;

  /** Two equal ones in one block would be one chain transaction; the odd limit tells them apart. */
  function tellApart(): TransactionInstruction {
    nonce = (nonce + 1) % COMPUTE_UNIT_NONCES;
    return ComputeBudgetProgram.setComputeUnitLimit({ units: COMPUTE_UNITS + nonce });
  }

  return async (instructions) => {
    const transaction = new Transaction({
      feePayer: payer.publicKey,
      ...(await connection.getLatestBlockhash('confirmed')),
    }).add(tellApart(), ...instructions);
    transaction.sign(payer);
    const signature = await connection.sendRawTransaction(transaction.serialize(), {
      skipPreflight: true,
    });
    await confirm(connection, signature);
    return signature;
  };
}

/** Waits until a chain transaction is confirmed. @throws StartError if it failed or never landed. */
export async function confirm(connection: Connection, signature: string): Promise<void> {
  const deadline = Date.now() + CONFIRM_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const { value } = await connection.getSignatureStatuses([signature]);
    const status = value[0];
    if (status?.err) {
      throw new StartError(`The local chain transaction failed: ${JSON.stringify(status.err)}.`);
    }
    if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') {
      return;
    }
    await delay(CONFIRM_INTERVAL_MS);
  }
  throw new StartError(
    `The chain transaction ${signature} was not confirmed in ${CONFIRM_TIMEOUT_MS / 1000} s.`,
  );
}
