/**
 * Transactions for the owner to sign: legacy messages with the owner as fee payer, zeroed
 * signatures, base64. The owner's wallet may replace the blockhash before it signs.
 */

import { createAssociatedTokenAccountIdempotentInstruction } from '@solana/spl-token';
import { Message, PublicKey, type TransactionInstruction } from '@solana/web3.js';

import { ownerDeadline } from './deadlines.ts';
import {
  addSession,
  initVault,
  ownerWithdraw,
  revokeSession,
  setMaxDeployedFraction,
  setPaused,
  updateSessionAllowlist,
  updateSessionLimits,
  type ChangedLimits,
  type NamedSession,
  type SessionLimits,
} from './instructions.ts';
import {
  closeVault,
  sweepLamports,
  sweepTokenAccount,
  type SweptTokenAccount,
} from './leave-instructions.ts';
import type { WalletProgram } from '../program/program.ts';
import type { Reserve } from '../reserve/reserve.ts';
import {
  initYield,
  ownerYieldDeposit,
  ownerYieldWithdraw,
  type YieldWithdrawArgs,
} from './yield-instructions.ts';

const SIGNATURE_BYTES = 64;

export type OwnerTransactions = {
  /** With a `reserve` the same transaction prepares the vault for yield. */
  initVault(owner: string, maxDeployedFractionBp: number, reserve: Reserve | null): Promise<string>;
  /** `sessionIndex` is the vault's next one. */
  addSession(owner: string, limits: SessionLimits, sessionIndex: bigint): Promise<string>;
  updateAllowlist(
    owner: string,
    session: NamedSession,
    recipients: readonly string[],
  ): Promise<string>;
  updateLimits(owner: string, session: NamedSession, limits: ChangedLimits): Promise<string>;
  revokeSession(owner: string, session: NamedSession): Promise<string>;
  setPaused(owner: string, paused: boolean): Promise<string>;
  /** With a `reserve` the same transaction prepares the vault for yield. */
  setMaxDeployedFraction(owner: string, bp: number, reserve: Reserve | null): Promise<string>;
  /**
   * To a token account of the owner; null is the associated one, which is created when it does not
   * exist. `EVERYTHING` withdraws all that is liquid.
   */
  withdraw(owner: string, amount: bigint, destination: string | null): Promise<string>;
  /** Prepares the vault for yield as well. */
  yieldDeposit(owner: string, reserve: Reserve, amount: bigint): Promise<string>;
  /**
   * `EVERYTHING` redeems `collateralAmount` whatever it brings, also beyond what is deployed; with
   * no collateral left it sets the deployed amount to 0.
   */
  yieldWithdraw(
    owner: string,
    reserve: Reserve,
    amounts: Pick<YieldWithdrawArgs, 'amount' | 'collateralAmount'>,
  ): Promise<string>;
  sweepTokenAccount(owner: string, swept: SweptTokenAccount): Promise<string>;
  sweepLamports(owner: string): Promise<string>;
  /** `nextSessionIndex` is the vault's. */
  closeVault(
    owner: string,
    reserve: Pick<Reserve, 'collateralMint'>,
    nextSessionIndex: bigint,
  ): Promise<string>;
};

/**
 * `blockhash` returns one at `confirmed`; its RPC_UNAVAILABLE is rethrown. `nowMs` is the time of
 * day, from which the deadlines count.
 */
export function createOwnerTransactions(
  program: WalletProgram,
  blockhash: () => Promise<{ readonly blockhash: string }>,
  nowMs: () => number,
): OwnerTransactions {
  const deadline = (): bigint => ownerDeadline(nowMs());
  async function unsigned(
    owner: string,
    ...instructions: TransactionInstruction[]
  ): Promise<string> {
    const latest = await blockhash();
    const message = Message.compile({
      payerKey: new PublicKey(owner),
      instructions,
      recentBlockhash: latest.blockhash,
    });
    const count = message.header.numRequiredSignatures;
    const signatures = Buffer.alloc(count * SIGNATURE_BYTES);
    return Buffer.concat([Buffer.from([count]), signatures, message.serialize()]).toString(
      'base64',
    );
  }
  return {
    initVault: (owner, bp, reserve) =>
      unsigned(
        owner,
        initVault(program, owner, bp, deadline()),
        ...(reserve === null ? [] : [initYield(program, reserve, owner)]),
      ),
    addSession: (owner, limits, sessionIndex) => {
      const granted = { sessionIndex, deadline: deadline() };
      return unsigned(owner, addSession(program, owner, limits, granted));
    },
    updateAllowlist: (owner, session, recipients) =>
      unsigned(owner, updateSessionAllowlist(program, owner, session, recipients, deadline())),
    updateLimits: (owner, session, limits) =>
      unsigned(owner, updateSessionLimits(program, owner, session, limits, deadline())),
    revokeSession: (owner, session) => unsigned(owner, revokeSession(program, owner, session)),
    setPaused: (owner, paused) => unsigned(owner, setPaused(program, owner, paused, deadline())),
    setMaxDeployedFraction: (owner, bp, reserve) =>
      unsigned(
        owner,
        ...(reserve === null ? [] : [initYield(program, reserve, owner)]),
        setMaxDeployedFraction(program, owner, bp, deadline()),
      ),
    withdraw: (owner, amount, destination) => {
      const own = program.addresses.usdcAta(owner);
      const to = destination ?? own;
      return unsigned(
        owner,
        ...(to === own ? [createUsdcAccount(program, owner, own)] : []),
        ownerWithdraw(program, owner, amount, to),
      );
    },
    yieldDeposit: (owner, reserve, amount) =>
      unsigned(
        owner,
        initYield(program, reserve, owner),
        ownerYieldDeposit(program, reserve, owner, amount, deadline()),
      ),
    yieldWithdraw: (owner, reserve, amounts) =>
      unsigned(owner, ownerYieldWithdraw(program, reserve, owner, amounts, deadline())),
    sweepTokenAccount: (owner, swept) =>
      unsigned(owner, sweepTokenAccount(program, owner, swept, deadline())),
    sweepLamports: (owner) => unsigned(owner, sweepLamports(program, owner)),
    closeVault: (owner, reserve, nextSessionIndex) =>
      unsigned(owner, closeVault(program, reserve, owner, nextSessionIndex)),
  };
}

/** Creates the owner's own USDC account at the owner's expense; succeeds when it exists. */
function createUsdcAccount(
  { usdcMint }: WalletProgram,
  owner: string,
  address: string,
): TransactionInstruction {
  const wallet = new PublicKey(owner);
  return createAssociatedTokenAccountIdempotentInstruction(
    wallet,
    new PublicKey(address),
    wallet,
    new PublicKey(usdcMint),
  );
}
