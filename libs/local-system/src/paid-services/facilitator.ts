import { createKeyPairSignerFromBytes } from '@solana/kit';
import type { Keypair } from '@solana/web3.js';
import { x402Facilitator } from '@x402/core/facilitator';
import type { FacilitatorClient } from '@x402/core/server';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';

/** Solana's test network, as standard x402 calls it; an embedded chain passes for it. */
export const TEST_NETWORK = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' as const;

/**
 * The reference facilitator: it checks a payment by simulation, signs as fee payer and sends.
 *
 * @param feePayer must have SOL; it pays for every payment
 * @param allowedPrograms programs that may pay, i.e. the wallet's; undefined: the reference's own
 *   list, on which the wallet's program is not
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
      // The facilitator's own type says less of a network than the client's wants.
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
