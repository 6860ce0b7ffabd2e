import { createKeyPairSignerFromBytes } from '@solana/kit';
import type { Keypair } from '@solana/web3.js';
import { x402Facilitator } from '@x402/core/facilitator';
import type { FacilitatorClient } from '@x402/core/server';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';

/** The x402 name of Solana's devnet, which the embedded chain uses too. */
export const TEST_NETWORK = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' as const;

/**
 * The reference facilitator: it verifies a payment by simulation, signs as fee payer and sends.
 * `feePayer` needs SOL: it pays the fee of each payment. `allowedPrograms` are the programs that
 * may pay, such as the wallet's; undefined keeps the reference's own list, which does not include
 * it.
 */
export async function createFacilitator(options: {
  readonly rpcUrl: string;
  readonly feePayer: Keypair;
  readonly allowedPrograms: readonly string[] | undefined;
}): Promise<FacilitatorClient> {
  const signer = await createKeyPairSignerFromBytes(options.feePayer.secretKey);
  const { allowedPrograms } = options;
  const exact = new ExactSvmScheme(
    toFacilitatorSvmSigner(signer, { defaultRpcUrl: options.rpcUrl }),
    undefined,
    {
      enableSmartWalletVerification: true,
      ...(allowedPrograms === undefined
        ? {}
        : { smartWalletAllowedPrograms: [...allowedPrograms] }),
    },
  );
  const facilitator = new x402Facilitator().register(TEST_NETWORK, exact);
  return {
    verify: (payload, requirements) => facilitator.verify(payload, requirements),
    settle: (payload, requirements) => facilitator.settle(payload, requirements),
    getSupported: () => {
      const { kinds, ...rest } = facilitator.getSupported();
      // The facilitator's type for a network is wider than the client's.
      return Promise.resolve({
        ...rest,
        kinds: kinds.map(({ x402Version, scheme, extra }) => ({
          x402Version,
          scheme,
          network: TEST_NETWORK,
          ...(extra === undefined ? {} : { extra }),
        })),
      });
    },
  };
}
