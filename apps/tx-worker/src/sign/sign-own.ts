import {
  buildSpendMessage,
  type PriorityFees,
  signSpend,
  unitLimitOf,
  type WalletProgram,
  writableAccountsOf,
} from '@agent-wallet/chain';
import type { Keystore } from '@agent-wallet/keystore';
import type { SignedAttempt } from '@agent-wallet/spend';
import type { Keypair } from '@solana/web3.js';
import { type AttemptBasis, attemptFacts } from './preparation.ts';

export type SignOwnDeps = {
  readonly program: WalletProgram;
  readonly keystore: Pick<Keystore, 'load'>;
  readonly feePayerOf: (sessionId: string, recipient: string | null) => Keypair;
  readonly priorityFees: PriorityFees;
  /** Instead of the limit that follows from the measured cost. */
  readonly computeUnitLimit: number | undefined;
};

const LAMPORTS_PER_SIGNATURE = 5_000n;

/** Signs what we send ourselves: with the session key, and with a fee payer of ours. */
export function createSignOwn(deps: SignOwnDeps): (basis: AttemptBasis) => Promise<SignedAttempt> {
  const { program } = deps;
  return async (basis) => {
    const { lane, spend, action, blockhash } = basis;
    const sessionKey = await deps.keystore.load(lane.sessionPubkey);
    const feePayer = deps.feePayerOf(lane.sessionId, spend.recipient);
    const payer = feePayer.publicKey.toBase58();
    const computeUnitLimit = deps.computeUnitLimit ?? unitLimitOf(program, action);
    const writable = [payer, ...writableAccountsOf(program, action)];
    const computeUnitPrice = await deps.priorityFees.priceFor(writable, computeUnitLimit);
    const budget = { computeUnitLimit, computeUnitPrice };
    const intent = { ...action, ...budget, feePayer: payer, blockhash: blockhash.blockhash };
    const messageBytes = buildSpendMessage(program, intent);
    const { wire, signature } = signSpend(program, { intent, messageBytes, sessionKey, feePayer });
    return {
      signature,
      wire,
      ...attemptFacts(basis, payer),
      feeLamports: feeOf(computeUnitLimit, computeUnitPrice),
    };
  };
}

/** Fee payer and session key sign; the price is in millionths of a lamport per compute unit. */
function feeOf(computeUnitLimit: number, computeUnitPrice: bigint): bigint {
  const priority = (BigInt(computeUnitLimit) * computeUnitPrice + 999_999n) / 1_000_000n;
  return 2n * LAMPORTS_PER_SIGNATURE + priority;
}
