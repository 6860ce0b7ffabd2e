/** The Zod schema of every request, answer and error of the HTTP interface. */
export { address, decodeAddress } from './address.ts';
export { agentLimitsAnswer, quoteAnswer, quoteBody, type QuoteBody } from './agent.ts';
export { amountIn, amountOut, MAX_AMOUNT, toAmountOut } from './amount.ts';
export { sessionBlastRadiusAnswer, walletBlastRadiusAnswer } from './blast-radius.ts';
export type { ErrorRow } from './error-row.ts';
export { ERROR_ROWS, type ErrorName } from './error-rows.ts';
export { auditAnswer, auditItem, auditQuery } from './audit.ts';
export {
  decodeSignature,
  emptyBody,
  nonceAnswer,
  signInAnswer,
  signInBody,
  signOutAnswer,
} from './auth.ts';
export { documentAnswer, livezAnswer, readyzAnswer } from './health.ts';
export {
  policyAnswer,
  type PolicyAnswer,
  policyBody,
  type PolicyBody,
  timeWindow,
  walletPolicyAnswer,
  type WalletPolicyAnswer,
} from './policy.ts';
export { refusal, type RefusalBody } from './refusal.ts';
export { serviceBody, servicesAnswer } from './service.ts';
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
} from './session.ts';
export {
  pendingAnswer,
  signPaymentAnswer,
  signPaymentBody,
  spendAnswer,
  type SpendAnswer,
  spendKind,
  spendParams,
  transferAnswer,
  transferBody,
} from './spend.ts';
export {
  createWalletAnswer,
  createWalletBody,
  depositAddressAnswer,
  fractionBody,
  pauseBody,
  walletAnswer,
  withdrawBody,
} from './wallet.ts';
export {
  ownerYieldWithdrawBody,
  yieldBody,
  yieldDepositAnswer,
  yieldPositionAnswer,
  yieldWithdrawAnswer,
} from './yield.ts';
