import { readFacilitatedSpend, type WalletProgram } from '@agent-wallet/chain';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { readPayment } from './read-payment.ts';

/** The limits of what a payment may be and cost. */
export type PaymentLimits = {
  /** CAIP-2 id of the chain. */
  readonly network: string;
  /** Base fee and priority fee of one transaction. */
  readonly maxFeeLamports: bigint;
  /** Base units of USDC. */
  readonly minAmount: bigint;
};

/** The payer and, of a facilitator that pays for both, the fee payer. */
const MOST_SIGNATURES = 2;
const PREFIX = 'invalid_exact_svm_payload';

/**
 * Why a payment is refused before the reference implementation looks at it: it accepts more than a
 * fee payer should sign. Returns the reason as x402 has it, possibly with a detail behind a colon,
 * or null.
 *
 * The fee payer may be named by no instruction, so that it can lose no more than the fee. A
 * payment of one of our wallets consists of exactly a compute unit limit, a price, a transfer and a
 * memo. The rules of all other payments, such as ordinary wallets', are those of the reference.
 */
export function findRefusal(
  program: WalletProgram,
  limits: PaymentLimits,
  payload: PaymentPayload,
  requirements: PaymentRequirements,
): string | null {
  const { scheme, network, asset, amount } = requirements;
  if (payload.x402Version !== 2) return 'invalid_x402_version';
  if (scheme !== 'exact' || payload.accepted.scheme !== scheme) return 'unsupported_scheme';
  if (network !== limits.network || payload.accepted.network !== network) return 'invalid_network';
  if (asset !== program.usdcMint) return `unsupported_asset: ${program.usdcMint} is supported`;
  if (BigInt(amount) < limits.minAmount)
    return `amount_too_low: the minimum is ${limits.minAmount}`;
  const { transaction } = payload.payload;
  const payment = typeof transaction === 'string' ? readPayment(transaction) : null;
  if (payment === null) return `${PREFIX}_transaction_could_not_be_decoded`;
  if (payment.signatures > MOST_SIGNATURES) return `${PREFIX}_excessive_signers`;
  const { feePayer, named, feeLamports } = payment;
  if (feePayer !== requirements.extra['feePayer']) return `${PREFIX}_fee_payer_mismatch`;
  if (named.has(feePayer)) return `${PREFIX}_fee_payer_not_isolated`;
  if (feeLamports === null) return `${PREFIX}_compute_budget_missing`;
  if (feeLamports > limits.maxFeeLamports) {
    return `${PREFIX}_fee_too_high: ${feeLamports} lamports, the maximum is ${limits.maxFeeLamports}`;
  }
  if (!named.has(program.programId)) return null;
  const spend = readFacilitatedSpend(program, payment.messageBytes);
  if (spend === null) return `${PREFIX}_wallet_instructions`;
  if (spend.recipient !== requirements.payTo) return `${PREFIX}_recipient_mismatch`;
  // The reference accepts more than the price. A wallet of ours never pays more.
  return spend.amount === BigInt(amount) ? null : `${PREFIX}_amount_mismatch`;
}
