import { createWalletProgram, openRpcPool } from '@agent-wallet/chain';
import { TEST_NETWORK } from '@agent-wallet/local-system/paid-services/test-network.ts';
import type { Keypair } from '@solana/web3.js';
import type { FacilitatorClient } from '@x402/core/server';
import {
  createFacilitator,
  type FacilitatorOptions,
} from '../../../apps/facilitator/src/payment/create-facilitator.ts';

/** As in apps/facilitator/src/config.ts. */
const LIMITS = { network: TEST_NETWORK, maxFeeLamports: 30_000n, minAmount: 1n };

/**
 * The facilitator of `apps/facilitator` without its HTTP server, as a resource server calls it.
 * `feePayer` needs SOL. Payments of the wallet with another program than `programId` are refused.
 */
export async function openFacilitator(options: {
  readonly rpcUrl: string;
  readonly feePayer: Keypair;
  readonly programId: string;
  readonly usdcMint: string;
  readonly limits?: Partial<FacilitatorOptions['limits']>;
}): Promise<FacilitatorClient> {
  const { rpcUrl, feePayer, programId, usdcMint } = options;
  const facilitator = await createFacilitator({
    program: createWalletProgram({ programId, usdcMint }),
    // A pool of one endpoint holds nothing that must be closed.
    pool: await openRpcPool({ urls: [rpcUrl], timeoutMs: 5_000 }),
    rpcUrls: [rpcUrl],
    rpcTimeoutMs: 5_000,
    feePayers: [feePayer],
    limits: { ...LIMITS, ...options.limits },
    settleWaitMs: 30_000,
  });
  return {
    verify: facilitator.verify,
    settle: facilitator.settle,
    getSupported: () => Promise.resolve(facilitator.supported()),
  };
}
