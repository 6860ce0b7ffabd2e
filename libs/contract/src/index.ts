/** The Zod schema of every request, answer and error of the HTTP interface. */
export { address, decodeAddress } from './fields/address.ts';
export {
  agentLimitsAnswer,
  quoteAnswer,
  quoteBody,
  type QuoteBody,
} from './agent/limits-and-quote.ts';
export { amountIn, amountOut, decimalAmount, MAX_AMOUNT, toAmountOut } from './fields/amount.ts';
export { sessionBlastRadiusAnswer, walletBlastRadiusAnswer } from './owner/blast-radius.ts';
export {
  ERROR_ROWS,
  type ErrorName,
  errorRowOf,
  isRefusalName,
  type RefusalFields,
  type RefusalName,
} from './errors/error-rows.ts';
export { configAnswer, idlAnswer } from './config.ts';
export { auditAnswer, auditItem, auditQuery } from './owner/audit.ts';
export {
  decodeSignature,
  emptyBody,
  nonceAnswer,
  signInAnswer,
  signInBody,
  signOutAnswer,
} from './owner/auth.ts';
export { documentAnswer, livezAnswer, readyzAnswer } from './health.ts';
export {
  policyAnswer,
  type PolicyAnswer,
  policyBody,
  type PolicyBody,
  timeWindow,
  walletPolicyAnswer,
  type WalletPolicyAnswer,
} from './owner/policy.ts';
export { refusal, type RefusalBody } from './errors/refusal.ts';
export { serviceBody, servicesAnswer } from './agent/service.ts';
export {
  createSessionAnswer,
  createSessionBody,
  type CreateSessionBody,
  limitsBody,
  type LimitsBody,
  MAX_RECIPIENTS,
  ownerTransactionAnswer,
  recipientsBody,
  rotateKeyAnswer,
  sessionAnswer,
  type SessionAnswer,
  sessionListAnswer,
  sessionParams,
} from './owner/session.ts';
export {
  pendingAnswer,
  signPaymentAnswer,
  signPaymentBody,
  signPaymentPendingAnswer,
  spendAnswer,
  type SpendAnswer,
  spendKind,
  spendParams,
  spendsAnswer,
  spendsQuery,
  transferAnswer,
  transferBody,
} from './agent/spend.ts';
export {
  createWalletAnswer,
  createWalletBody,
  depositAddressAnswer,
  fractionBody,
  pauseBody,
  walletAnswer,
  withdrawBody,
} from './owner/wallet.ts';
export {
  changeWebhookBody,
  type ChangeWebhookBody,
  createWebhookAnswer,
  createWebhookBody,
  type CreateWebhookBody,
  deleteWebhookAnswer,
  MAX_WEBHOOKS,
  rotateSecretAnswer,
  webhookAnswer,
  type WebhookAnswer,
  webhookDeliveriesAnswer,
  webhookDeliveriesQuery,
  webhookDeliveryAnswer,
  type WebhookDeliveryAnswer,
  webhookEvent,
  type WebhookEventType,
  webhookListAnswer,
  webhookParams,
} from './owner/webhook.ts';
export {
  ownerYieldWithdrawBody,
  yieldBody,
  yieldDepositAnswer,
  walletYieldAnswer,
  yieldPositionAnswer,
  yieldWithdrawAnswer,
} from './agent/yield.ts';
