/**
 * Transactions for the owner to sign: legacy messages with the owner as fee payer, signatures
 * zeroed, base64. The owner's wallet may put in a newer blockhash before it signs.
 */

import { Message, PublicKey } from '@solana/web3.js';
import type { TransactionInstruction } from '@solana/web3.js';

import {
  addSession,
  initVault,
  revokeSession,
  setPaused,
  updateSessionAllowlist,
} from './instructions.ts';
import type { SessionLimits } from './instructions.ts';
import type { WalletProgram } from './program.ts';

const SIGNATURE_BYTES = 64;

export type OwnerTransactions = {
  initVault(owner: string, maxDeployedFractionBp: number): Promise<string>;
  addSession(owner: string, limits: SessionLimits): Promise<string>;
  updateAllowlist(
    owner: string,
    sessionPda: string,
    recipients: readonly string[],
  ): Promise<string>;
  revokeSession(owner: string, sessionPda: string): Promise<string>;
  setPaused(owner: string, paused: boolean): Promise<string>;
};

/** `blockhash` gives one at `confirmed`; its RPC_UNAVAILABLE is passed on. */
export function createOwnerTransactions(
  program: WalletProgram,
  blockhash: () => Promise<{ readonly blockhash: string }>,
): OwnerTransactions {
  async function unsigned(owner: string, instruction: TransactionInstruction): Promise<string> {
    const latest = await blockhash();
    const message = Message.compile({
      payerKey: new PublicKey(owner),
      instructions: [instruction],
      recentBlockhash: latest.blockhash,
    });
    const count = message.header.numRequiredSignatures;
    const signatures = Buffer.alloc(count * SIGNATURE_BYTES);
    return Buffer.concat([Buffer.from([count]), signatures, message.serialize()]).toString(
      'base64',
    );
  }
  return {
    initVault: (owner, bp) => unsigned(owner, initVault(program, owner, bp)),
    addSession: (owner, limits) => unsigned(owner, addSession(program, owner, limits)),
    updateAllowlist: (owner, sessionPda, recipients) =>
      unsigned(owner, updateSessionAllowlist(program, owner, sessionPda, recipients)),
    revokeSession: (owner, sessionPda) =>
      unsigned(owner, revokeSession(program, owner, sessionPda)),
    setPaused: (owner, paused) => unsigned(owner, setPaused(program, owner, paused)),
  };
}
