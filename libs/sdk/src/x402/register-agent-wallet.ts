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
 * Has an x402 client pay with the agent's wallet, by `payChallenge`: the client repeats its request
 * with the proof, or with the signed transaction of a standard x402 offer. The owner must have
 * allowed the URL and the recipient. Nothing is paid a second time for the same 402, by no scheme.
 *
 * An offer on Solana that the wallet cannot pay throws before money moves. `maxAmount` is the highest
 * price in base units, by default that of the wallet. The client does not wait for what a facilitator
 * sends: `wallet.spends()` lists it.
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
  /** The challenges that were paid, and how. */
  const paid = new WeakMap<object, string>();
  const highest = maxAmount === undefined ? {} : { maxAmount };

  httpClient.onPaymentRequired(async ({ paymentRequired, requestUrl }) => {
    if (requestUrl === undefined) return undefined;
    try {
      const payment = { url: requestUrl, challenge: paymentRequired, ...highest };
      const options =
        idempotencyKey === undefined ? {} : { idempotencyKey: idempotencyKey(requestUrl) };
      const { headers, tx_signature, spend_id } = await wallet.payChallenge(payment, options);
      const how =
        tx_signature === null ? `has signed spend ${spend_id}` : `has paid with ${tx_signature}`;
      paid.set(paymentRequired, how);
      return { headers: { ...headers } };
    } catch (error) {
      // Nothing has moved: another scheme of the client may pay.
      if (isAgentWalletError(error, 'NOT_PAYABLE')) return undefined;
      throw error;
    }
  });

  client.onBeforePaymentCreation(async ({ paymentRequired }) => {
    const how = paid.get(paymentRequired);
    if (how === undefined) return undefined;
    const reason = `the agent's wallet ${how}, and the service still responds with 402`;
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
          "the agent's wallet cannot pay this offer: it pays USDC of its network, in standard x402 of version 2 to services that take payments by programs",
        ),
      ),
  });
}
