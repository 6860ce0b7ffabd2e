import { AgentWalletError } from '../../http/agent-wallet-error.ts';
import type { Offer } from './offer.ts';

/** A 402 that the wallet cannot pay. */
export function notPayable(url: URL, why: string): AgentWalletError {
  return new AgentWalletError({
    code: 'NOT_PAYABLE',
    error: `${url.origin} cannot be paid: ${why}`,
    remedy: 'no money moved; have the operator add the service to the catalog',
  });
}

export function overMax({ amount }: Offer, maxAmount: bigint): AgentWalletError {
  return new AgentWalletError({
    code: 'QUOTED_OVER_MAX',
    error: 'QUOTED_OVER_MAX',
    layer: 'off-chain',
    remedy: 'no money moved; raise maxAmount',
    details: { quoted: amount, max_amount: maxAmount },
  });
}

/** The chain shows the payment, and there is no response for it. */
export function notDelivered(
  url: URL,
  paid: {
    readonly spendId: string;
    readonly signature: string;
    readonly idempotencyKey: string;
    readonly remedy: string;
  },
  cause?: unknown,
): AgentWalletError {
  const { spendId, signature, idempotencyKey, remedy } = paid;
  return new AgentWalletError({
    code: 'SERVICE_DID_NOT_DELIVER',
    error: 'service did not deliver',
    detail: `${url.origin} was paid and did not respond`,
    remedy,
    details: { spend_id: spendId, tx_signature: signature },
    idempotencyKey,
    cause,
  });
}

/** The service answered the signed transaction with another 402. */
export function paymentRefused(
  url: URL,
  { spendId, idempotencyKey }: { readonly spendId: string; readonly idempotencyKey: string },
  why: string,
): AgentWalletError {
  return new AgentWalletError({
    code: 'PAYMENT_REFUSED',
    error: 'service did not deliver',
    detail: `${url.origin} refused the payment: ${why}`,
    remedy:
      'the amount stays reserved for up to two minutes, until the transaction cannot land any more; read the spend then',
    details: { spend_id: spendId },
    idempotencyKey,
  });
}
