import type { RequestListener } from 'node:http';
import { Connection } from '@solana/web3.js';
import { TEST_NETWORK } from './test-network.ts';
import { replyJson, type Sell } from './service-host.ts';

/** The service's verdict on a proof. */
type ProofVerdict = 'paid' | 'not paid' | 'used';

/** Judges the value of `X-Payment-Proof`; a signature is good for one request. */
export type CheckProof = (signature: string) => Promise<ProofVerdict>;

/**
 * Looks a payment up on the chain: a confirmed transaction that raised the payee's balance of
 * `asset` by at least `amount` base units and was not presented before.
 */
export function createProofCheck(options: {
  readonly rpcUrl: string;
  readonly payTo: string;
  readonly asset: string;
  readonly amount: bigint;
}): CheckProof {
  const { payTo, asset, amount } = options;
  const connection = new Connection(options.rpcUrl, 'confirmed');
  const used = new Set<string>();
  return async (signature) => {
    if (used.has(signature)) return 'used';
    const transaction = await connection
      .getTransaction(signature, { commitment: 'confirmed', maxSupportedTransactionVersion: 0 })
      .catch(() => null);
    const meta = transaction?.meta ?? null;
    if (meta === null || meta.err !== null) return 'not paid';
    const held = (balances: typeof meta.preTokenBalances): bigint =>
      (balances ?? [])
        .filter(({ owner, mint }) => owner === payTo && mint === asset)
        .reduce((sum, { uiTokenAmount }) => sum + BigInt(uiTokenAmount.amount), 0n);
    if (held(meta.postTokenBalances) - held(meta.preTokenBalances) < amount) return 'not paid';
    // Two requests with one proof can both get here; the second one finds it used.
    if (used.has(signature)) return 'used';
    used.add(signature);
    return 'paid';
  };
}

/**
 * A service that requires a payment first and its chain transaction in `X-Payment-Proof`. Its 402
 * is an x402 challenge with `extra.proof` in its offer. One request costs `amount` base units of
 * `asset`.
 */
export function createProofService(options: {
  readonly check: CheckProof;
  readonly payTo: string;
  readonly asset: string;
  readonly amount: bigint;
  readonly sell: Sell;
}): RequestListener {
  const { check, payTo, asset, amount, sell } = options;
  return (request, response) => {
    const url = request.url ?? '/';
    const refuse = (error: string): void => {
      const challenge = {
        x402Version: 2,
        error,
        resource: { url: `http://${request.headers.host ?? ''}${url}` },
        accepts: [
          {
            scheme: 'exact',
            network: TEST_NETWORK,
            amount: amount.toString(),
            asset,
            payTo,
            maxTimeoutSeconds: 60,
            extra: { proof: 'x-payment-proof' },
          },
        ],
      };
      // In both places where clients of x402 look for it.
      const header = Buffer.from(JSON.stringify(challenge)).toString('base64');
      replyJson(response, 402, { 'payment-required': header }, challenge);
    };
    const handle = async (): Promise<void> => {
      const proof = request.headers['x-payment-proof'];
      if (typeof proof !== 'string') return refuse('X-Payment-Proof is missing');
      const verdict = await check(proof);
      if (verdict !== 'paid') return refuse(`X-Payment-Proof: ${verdict}`);
      const sold = await sell({ method: request.method ?? '', url });
      replyJson(response, sold.status, {}, sold.body);
    };
    handle().catch((error: unknown) => replyJson(response, 502, {}, { error: String(error) }));
  };
}
