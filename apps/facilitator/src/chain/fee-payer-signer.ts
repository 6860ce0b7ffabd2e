import type { RpcPool } from '@agent-wallet/chain';
import { createSolanaRpcFromTransport, type KeyPairSigner } from '@solana/kit';
import type { Network } from '@x402/core/types';
import { type FacilitatorSvmSigner, toFacilitatorSvmSigner } from '@x402/svm';
import { createPoolTransport } from './pool-transport.ts';
import { createSettlements } from './watch-settlement.ts';

/**
 * The reference signer, for several fee payers and over the pool's endpoints. It sends to all
 * endpoints and sends again until the transaction is confirmed; the reference sends once.
 */
export function createFeePayerSigner(options: {
  readonly signers: readonly KeyPairSigner[];
  readonly pool: RpcPool;
  readonly rpcUrls: readonly string[];
  readonly rpcTimeoutMs: number;
  readonly limits: { readonly network: Network };
  readonly settleWaitMs: number;
}): FacilitatorSvmSigner {
  const { pool, rpcUrls: urls, rpcTimeoutMs: timeoutMs } = options;
  const rpc = createSolanaRpcFromTransport(createPoolTransport({ pool, urls, timeoutMs }));
  const byAddress = new Map(
    options.signers.map((signer) => [
      String(signer.address),
      toFacilitatorSvmSigner(signer, { [options.limits.network]: rpc }),
    ]),
  );
  const [first] = byAddress.values();
  if (first === undefined) throw new RangeError('there is no fee payer');
  const settlements = createSettlements({ pool, waitMs: options.settleWaitMs });
  return {
    ...first,
    getAddresses: () => options.signers.map(({ address }) => address),
    signTransaction: (transaction, feePayer, network) => {
      const signer = byAddress.get(feePayer);
      if (signer === undefined) throw new RangeError('not a fee payer of this facilitator');
      return signer.signTransaction(transaction, feePayer, network);
    },
    sendTransaction: (transaction) => settlements.send(Buffer.from(transaction, 'base64')),
    confirmTransaction: (signature) => settlements.confirm(signature),
  };
}
