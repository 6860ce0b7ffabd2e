import type { AgentWallet } from '../agent/agent-wallet.ts';
import { isAgentWalletError } from '../http/agent-wallet-error.ts';

type Asset = { readonly asset: string; readonly decimals: number; readonly symbol: string };

/** USDC on devnet and on the main network. */
const USDC: ReadonlySet<string> = new Set([
  '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
]);

/** An `x402Client` of `@x402/core` 2, as far as it is used; it is no dependency. */
export type X402Client = {
  register(
    network: `${string}:${string}`,
    scheme: {
      readonly scheme: string;
      findDefaultAsset(asset: string): Asset | undefined;
      createPaymentPayload(): Promise<never>;
    },
  ): unknown;
  onBeforePaymentCreation(
    hook: (context: {
      readonly paymentRequired: object;
    }) => Promise<{ readonly abort: true; readonly reason: string } | undefined>,
  ): unknown;
};

/** The `x402HTTPClient` around it. */
export type X402HttpClient = {
  onPaymentRequired(
    hook: (context: {
      readonly paymentRequired: object;
      readonly requestUrl?: string;
    }) => Promise<{ headers: Record<string, string> } | undefined>,
  ): unknown;
};

/**
 * Has an x402 client pay with the agent's wallet: a service that takes `X-Payment-Proof` is paid by
 * `signPayment`, and the client repeats its request with the proof. The owner must have allowed the
 * URL and the recipient. Nothing else is paid a second time for the same 402, by no scheme.
 *
 * A standard x402 offer on Solana throws before money moves: the API pays those only as services of
 * its catalog, which `wallet.fetch` and `wallet.payService` call. `maxAmount` is the highest price in
 * base units, by default that of the wallet.
 *
 * `idempotencyKey` gives the key of a payment for the URL of the request: a call with the key of an
 * earlier one pays nothing further. It has 1 to 255 visible ASCII characters. Without it, each call
 * has a new key, and one after an error can pay a second time.
 */
export function registerAgentWallet(
  { client, httpClient }: { readonly client: X402Client; readonly httpClient: X402HttpClient },
  wallet: Pick<AgentWallet, 'payChallenge'>,
  {
    maxAmount,
    idempotencyKey,
  }: {
    readonly maxAmount?: bigint;
    readonly idempotencyKey?: (requestUrl: string) => string;
  } = {},
): void {
  /** The challenges that were paid, and the signatures. */
  const paid = new WeakMap<object, string>();
  const highest = maxAmount === undefined ? {} : { maxAmount };

  httpClient.onPaymentRequired(async ({ paymentRequired, requestUrl }) => {
    if (requestUrl === undefined) return undefined;
    try {
      const payment = { url: requestUrl, challenge: paymentRequired, ...highest };
      const options =
        idempotencyKey === undefined ? {} : { idempotencyKey: idempotencyKey(requestUrl) };
      const { payment_proof_header, tx_signature } = await wallet.payChallenge(payment, options);
      paid.set(paymentRequired, tx_signature);
      return { headers: { 'X-Payment-Proof': payment_proof_header } };
    } catch (error) {
      // Nothing has moved: another scheme of the client may pay.
      if (isAgentWalletError(error, 'NOT_PAYABLE')) return undefined;
      throw error;
    }
  });

  client.onBeforePaymentCreation(async ({ paymentRequired }) => {
    const signature = paid.get(paymentRequired);
    if (signature === undefined) return undefined;
    const reason = `the agent's wallet has paid with ${signature}, and the service still responds with 402`;
    return { abort: true, reason };
  });

  // Without a scheme, and an asset that it knows, the client does not ask the hook above.
  client.register('solana:*', {
    scheme: 'exact',
    findDefaultAsset: (asset) =>
      USDC.has(asset) ? { asset, decimals: 6, symbol: 'USDC' } : undefined,
    createPaymentPayload: () =>
      Promise.reject(
        new Error(
          'a standard x402 payment needs an entry of the catalog: call the service by wallet.fetch',
        ),
      ),
  });
}
