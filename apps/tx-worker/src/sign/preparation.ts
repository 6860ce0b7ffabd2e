import type { LatestBlockhash, SpendAction } from '@agent-wallet/chain';
import type { Lane, SignedAttempt, Spend } from '@agent-wallet/spend';
import type { Refusal } from './describe-refusal.ts';

/** A signed attempt, and the newest slot that its preflight must have seen. */
export type PreparedSpend = {
  readonly kind: 'signed';
  readonly signed: SignedAttempt;
  readonly minContextSlot: bigint;
};

/** 'refused': nothing was signed, because the payment could not succeed. */
export type Preparation = PreparedSpend | ({ readonly kind: 'refused' } & Refusal);

/** The facts that an attempt is built from. */
export type AttemptBasis = {
  readonly lane: Lane;
  readonly spend: Spend;
  readonly spendSeq: bigint;
  readonly sessionIndex: bigint;
  readonly action: SpendAction;
  readonly blockhash: LatestBlockhash;
  readonly minContextSlot: bigint;
};

/** Facts stored with every attempt, ours or a facilitator's. */
export function attemptFacts(
  { lane, blockhash, sessionIndex, spendSeq }: AttemptBasis,
  feePayer: string,
): Omit<SignedAttempt, 'signature' | 'wire' | 'feeLamports'> {
  return {
    blockhash: blockhash.blockhash,
    lastValidBlockHeight: blockhash.lastValidBlockHeight,
    blockhashSlot: blockhash.slot,
    sessionIndex,
    feePayer,
    spendSeq,
    policyVersion: lane.policyVersion,
  };
}
