import { setTimeout as delay } from 'node:timers/promises';
import {
  ComputeBudgetProgram,
  type Connection,
  type Keypair,
  Transaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import { StartError } from '../system/start-error.ts';

const CONFIRM_TIMEOUT_MS = 30_000;
const CONFIRM_INTERVAL_MS = 100;
const SIGNED_TIMES = 3;
const COMPUTE_UNITS = 200_000;
const COMPUTE_UNIT_NONCES = 100_000;

/** Sends instructions as one chain transaction, waits for confirmation, returns its signature. */
export type SendAndConfirm = (instructions: readonly TransactionInstruction[]) => Promise<string>;

/**
 * Sends chain transactions that `payer` alone signs and pays for. Each call rejects with a
 * StartError when the transaction failed or never landed.
 */
export function createSendAndConfirm(connection: Connection, payer: Keypair): SendAndConfirm {
  let nonce = 0;

  /**
   * Equal instructions in one block would be one chain transaction; a varying limit prevents it.
   */
  function varyingLimit(): TransactionInstruction {
    nonce = (nonce + 1) % COMPUTE_UNIT_NONCES;
    return ComputeBudgetProgram.setComputeUnitLimit({ units: COMPUTE_UNITS + nonce });
  }

  async function sendOnce(instructions: readonly TransactionInstruction[]): Promise<Sent> {
    const latest = await connection.getLatestBlockhash('confirmed');
    const transaction = new Transaction({ feePayer: payer.publicKey, ...latest });
    transaction.add(varyingLimit(), ...instructions).sign(payer);
    const signature = await connection.sendRawTransaction(transaction.serialize(), {
      skipPreflight: true,
    });
    return { signature, lastValidBlockHeight: latest.lastValidBlockHeight };
  }

  return async (instructions) => {
    // On a chain with short slots a busy machine can outlast the lifetime of a blockhash.
    for (let times = 1; times < SIGNED_TIMES; times += 1) {
      const sent = await sendOnce(instructions);
      if ((await waitForEnd(connection, sent)) === 'confirmed') return sent.signature;
    }
    const { signature } = await sendOnce(instructions);
    await confirm(connection, signature);
    return signature;
  };
}

type Sent = { readonly signature: string; readonly lastValidBlockHeight: number };

/** Waits until a chain transaction is confirmed. Throws StartError if it failed or never landed. */
export async function confirm(connection: Connection, signature: string): Promise<void> {
  // It cannot be signed again here, so its blockhash never counts as expired.
  await waitForEnd(connection, { signature, lastValidBlockHeight: Infinity });
}

/** `expired`: the transaction is not on the chain and can never land. */
async function waitForEnd(
  connection: Connection,
  { signature, lastValidBlockHeight }: Sent,
): Promise<'confirmed' | 'expired'> {
  const deadline = Date.now() + CONFIRM_TIMEOUT_MS;
  while (Date.now() < deadline) {
    // The height is read first: a status that is still missing afterwards will never appear.
    const isTooLate = (await connection.getBlockHeight('confirmed')) > lastValidBlockHeight;
    const { value } = await connection.getSignatureStatuses([signature]);
    const status = value[0];
    if (status?.err) {
      throw new StartError(`The local chain transaction failed: ${JSON.stringify(status.err)}.`);
    }
    if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') {
      return 'confirmed';
    }
    if (isTooLate && status === null) return 'expired';
    await delay(CONFIRM_INTERVAL_MS);
  }
  throw new StartError(
    `The chain transaction ${signature} was not confirmed in ${CONFIRM_TIMEOUT_MS / 1000} s.`,
  );
}
