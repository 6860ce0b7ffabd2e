import type { RpcPool, WalletProgram } from '@agent-wallet/chain';
import { createKeyPairSignerFromBytes } from '@solana/kit';
import type { Keypair } from '@solana/web3.js';
import { x402Facilitator } from '@x402/core/facilitator';
import type {
  Network,
  PaymentPayload,
  PaymentRequirements,
  SettleResponse,
  SupportedResponse,
  VerifyResponse,
} from '@x402/core/types';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import { createFeePayerSigner } from '../chain/fee-payer-signer.ts';
import { findRefusal, type PaymentLimits } from './find-refusal.ts';

export type FacilitatorOptions = {
  readonly program: WalletProgram;
  readonly pool: RpcPool;
  /** The endpoints of the pool, in its order. */
  readonly rpcUrls: readonly string[];
  readonly rpcTimeoutMs: number;
  readonly feePayers: readonly Keypair[];
  readonly limits: PaymentLimits & { readonly network: Network };
  /** How long a settlement is watched before its outcome is pending. */
  readonly settleWaitMs: number;
};

/** The three calls of an x402 facilitator. A payment that is not valid is a value, not an error. */
export type Facilitator = {
  readonly supported: () => SupportedResponse;
  readonly verify: (
    payload: PaymentPayload,
    requirements: PaymentRequirements,
  ) => Promise<VerifyResponse>;
  readonly settle: (
    payload: PaymentPayload,
    requirements: PaymentRequirements,
  ) => Promise<SettleResponse>;
};

/** As {@link readPayment} requires of every payment. */
const MOST_SIGNATURES = 2;

/**
 * The reference facilitator for the scheme `exact` on Solana, which lists the wallet's program, and
 * the checks of {@link findRefusal} in front of it.
 */
export async function createFacilitator(options: FacilitatorOptions): Promise<Facilitator> {
  const { program, limits } = options;
  const signers = await Promise.all(
    options.feePayers.map(({ secretKey }) => createKeyPairSignerFromBytes(secretKey)),
  );
  const exact = new ExactSvmScheme(createFeePayerSigner({ ...options, signers }), undefined, {
    enableSmartWalletVerification: true,
    smartWalletAllowedPrograms: [program.programId],
    maxRequiredSignatures: MOST_SIGNATURES,
  });
  const reference = new x402Facilitator().register(limits.network, exact);
  return {
    supported: () => {
      const { kinds, extensions, signers: payers } = reference.getSupported();
      // The reference's type of a network is wider here than in the response.
      const ours = kinds.map((kind) => ({ ...kind, network: limits.network }));
      return { kinds: ours, extensions, signers: payers };
    },
    verify: async (payload, requirements) => {
      const invalidReason = findRefusal(program, limits, payload, requirements);
      if (invalidReason !== null) return { isValid: false, invalidReason, payer: '' };
      return reference.verify(payload, requirements);
    },
    settle: async (payload, requirements) => {
      const errorReason = findRefusal(program, limits, payload, requirements);
      const { network } = requirements;
      if (errorReason !== null) {
        return { success: false, errorReason, transaction: '', network, payer: '' };
      }
      return reference.settle(payload, requirements);
    },
  };
}
