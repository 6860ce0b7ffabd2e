import {
  buildSpendMessage,
  memoUnitLimit,
  parseAddress,
  type PriorityFees,
  signForFacilitator,
  type SpendIntent,
  takesPart,
  unitLimitOf,
  unsignedWire,
  type WalletProgram,
  writableAccountsOf,
} from '@agent-wallet/chain';
import type { Keystore } from '@agent-wallet/keystore';
import { REFUSALS } from '@agent-wallet/spend';
import { type AttemptBasis, attemptFacts, type Preparation } from './preparation.ts';
import type { SimulatePayment } from './simulate-payment.ts';

export type FacilitatorDeps = {
  readonly program: WalletProgram;
  readonly keystore: Pick<Keystore, 'load'>;
  readonly priorityFees: Pick<PriorityFees, 'priceFor'>;
  readonly simulatePayment: SimulatePayment;
  /** Whether the address is a fee payer of ours, which never signs a facilitator's payment. */
  readonly isOurFeePayer: (address: string) => boolean;
  /** Instead of the limit that follows from the measured cost. */
  readonly computeUnitLimit: number | undefined;
};

/** Limits of facilitators in the reference implementation of x402. */
const MOST_UNITS = 399_999;
const MOST_MICRO_LAMPORTS = 50_000n;

/**
 * Signs a payment that an x402 facilitator sends: with the session key alone, and only when its
 * simulation succeeds. The simulated bytes bear no signature, so that nothing can land before the
 * attempt is stored.
 */
export function createSignForFacilitator(
  deps: FacilitatorDeps,
): (basis: AttemptBasis) => Promise<Preparation> {
  const { program } = deps;
  return async (basis) => {
    const { lane, spend, minContextSlot } = basis;
    const feePayer = spend.facilitatorFeePayer ?? '';
    const unfit = whyUnfit(deps, basis, feePayer);
    if (unfit !== null) {
      return { kind: 'refused', code: REFUSALS.unsupportedByService, detail: unfit };
    }
    const intent = intentOf(deps, basis, feePayer);
    const messageBytes = buildSpendMessage(program, intent);
    const refusal = await deps.simulatePayment(lane, unsignedWire(messageBytes), minContextSlot);
    if (refusal !== null) return { kind: 'refused', ...refusal };
    const sessionKey = await deps.keystore.load(lane.sessionPubkey);
    const signed = {
      signature: null,
      wire: await signForFacilitator(program, { intent, messageBytes, sessionKey }),
      ...attemptFacts(basis, feePayer),
      feeLamports: 0n,
    };
    return { kind: 'signed', signed, minContextSlot };
  };
}

/** A fee payer may appear nowhere else in the payment; null when it may pay. */
function whyUnfit(
  { program, isOurFeePayer }: FacilitatorDeps,
  { action }: AttemptBasis,
  feePayer: string,
): string | null {
  if (parseAddress(feePayer) === null) return 'the fee payer of the facilitator is no address';
  if (takesPart(program, action, feePayer)) {
    return 'the fee payer of the facilitator takes part in the payment itself';
  }
  return isOurFeePayer(feePayer) ? 'the fee payer of the facilitator is one of ours' : null;
}

function intentOf(
  deps: FacilitatorDeps,
  { spend, action, blockhash }: AttemptBasis,
  feePayer: string,
): SpendIntent {
  const { program } = deps;
  const memo = spend.facilitatorMemo ?? spend.spendId;
  const actionUnits = deps.computeUnitLimit ?? unitLimitOf(program, action);
  const computeUnitLimit = Math.min(actionUnits + memoUnitLimit(memo), MOST_UNITS);
  const writable = [feePayer, ...writableAccountsOf(program, action)];
  const wanted = deps.priorityFees.priceFor(writable, computeUnitLimit, spend.attempt);
  const computeUnitPrice = wanted < MOST_MICRO_LAMPORTS ? wanted : MOST_MICRO_LAMPORTS;
  return {
    ...action,
    feePayer,
    blockhash: blockhash.blockhash,
    computeUnitLimit,
    computeUnitPrice,
    facilitated: { memo },
  };
}
