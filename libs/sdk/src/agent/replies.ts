import {
  agentLimitsAnswer,
  configAnswer,
  decimalAmount,
  quoteAnswer,
  servicesAnswer,
  signPaymentAnswer,
  signPaymentPendingAnswer,
  spendAnswer,
  spendsAnswer,
  transferAnswer,
  yieldDepositAnswer,
  yieldPositionAnswer,
  yieldWithdrawAnswer,
} from '@agent-wallet/contract';
import { z } from 'zod';
import { amount, refusalReply } from '../http/refusal.ts';

/** The API's replies as the client returns them: amounts are base units. */

/** An amount that is always decimal text, as base units. */
export const units = decimalAmount.transform((text) => BigInt(text));
const urlEntry = agentLimitsAnswer.shape.url_allowlist.element;
const service = servicesAnswer.shape.items.element;
const listedSpend = spendsAnswer.shape.items.element;
/** Not in every reply of the API, but in each of the client's. */
const confirmed = z.literal('confirmed').default('confirmed');

export const positionReply = yieldPositionAnswer.extend({
  liquid: units.nullable(),
  deployed: units,
  accrued: units.nullable(),
  total_balance: units,
});

export const limitsReply = agentLimitsAnswer.extend({
  max_per_tx: amount,
  daily_cap: amount,
  daily_spent: amount,
  daily_remaining: amount,
  liquid: amount,
  deployed_amount: amount,
  url_allowlist: z.array(urlEntry.extend({ max_per_call: amount })),
});

export const quoteReply = quoteAnswer.extend({
  refusals: z.array(refusalReply.extend({ status: z.int() })),
});

export const servicesReply = servicesAnswer.extend({
  items: z.array(service.extend({ max_price: amount })),
});

export const spendReply = spendAnswer.extend({ amount });

export const spendsReply = spendsAnswer.extend({
  items: z.array(listedSpend.extend({ amount })),
});

export const configReply = configAnswer;
export const transferReply = transferAnswer;
export const signPaymentReply = signPaymentAnswer.extend({ status: confirmed });
export const depositReply = yieldDepositAnswer.extend({ deployed: units.nullable() });
export const withdrawReply = yieldWithdrawAnswer.extend({ status: confirmed });
/** The widest of them. */
export const pendingReply = signPaymentPendingAnswer;

/** `liquid` is null when the balance could not be read, which is not zero. */
export type Position = z.output<typeof positionReply>;
/** The limits of the key's session now. Times are unix seconds. */
export type Limits = z.output<typeof limitsReply>;
/** `refusals` are those that the spend would get now; `fits_at` is in unix seconds. */
export type Quote = z.output<typeof quoteReply>;
/** An entry of the catalog. */
export type Service = z.output<typeof servicesReply>['items'][number];
/** A request and its outcome. */
export type Spend = z.output<typeof spendReply>;
/** A spend in the list: without its proof and the response of its service. */
export type ListedSpend = z.output<typeof spendsReply>['items'][number];
/** The deployment: its chain, program and mint. */
export type Config = z.output<typeof configReply>;
/** A spend that is on chain. */
export type ConfirmedSpend = Spend & {
  readonly status: 'confirmed';
  readonly tx_signature: string;
};
/**
 * A spend whose outcome is not known yet: `waitFor` returns it. `transaction` is there for a payment
 * with a facilitator once it is signed: base64, for the service.
 */
export type Pending = z.output<typeof pendingReply>;
export type Transfer = z.output<typeof transferReply>;
/** `payment_proof_header` is the value of `X-Payment-Proof`. */
export type SignedPayment = z.output<typeof signPaymentReply>;
/** `deployed` is the principal after the deposit; null when it could not be read. */
export type Deposit = z.output<typeof depositReply>;
export type Withdrawal = z.output<typeof withdrawReply>;
