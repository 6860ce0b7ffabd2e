import {
  auditAnswer,
  createSessionAnswer,
  createWalletAnswer,
  depositAddressAnswer,
  nonceAnswer,
  ownerTransactionAnswer,
  rotateKeyAnswer,
  sessionAnswer,
  sessionBlastRadiusAnswer,
  signInAnswer,
  signOutAnswer,
  walletAnswer,
  walletBlastRadiusAnswer,
  walletPolicyAnswer,
  walletYieldAnswer,
} from '@agent-wallet/contract';
import { z } from 'zod';
import { positionReply, units } from '../agent/replies.ts';
import { amount } from '../http/refusal.ts';

/** The API's replies to owners as the client returns them: amounts are base units. */

const urlEntry = walletPolicyAnswer.shape.url_allowlist.element.extend({ max_per_call: amount });
const policy = walletAnswer.shape.policy.extend({ url_allowlist: z.array(urlEntry) });

export const nonceReply = nonceAnswer;
export const signInReply = signInAnswer;
export const signOutReply = signOutAnswer;
export const createWalletReply = createWalletAnswer;
export const walletReply = walletAnswer.extend({
  deployed_amount: amount,
  liquid: amount.nullable(),
  policy,
});
export const depositAddressReply = depositAddressAnswer;
export const policyReply = walletPolicyAnswer.extend({ url_allowlist: z.array(urlEntry) });
export const createSessionReply = createSessionAnswer;
export const sessionReply = sessionAnswer.extend({
  session_index: sessionAnswer.shape.session_index.transform((text) =>
    text === null ? null : BigInt(text),
  ),
  max_per_tx: amount,
  daily_cap: amount,
  daily_spent: amount,
  daily_remaining: amount,
  daily_spent_by_hour: z.array(z.object({ hour: z.int(), amount })),
});
export const sessionsReply = z.object({ items: z.array(sessionReply) });
const spendable = z.object({ now: units, within_24h: units, until_expiry: units });
const worstCases = {
  holdings: z.object({ liquid: units, deployed: units, value: units }),
  by_limits: spendable,
  of_holdings: spendable,
  yield_deposit: units,
  yield_withdraw: units,
};
export const sessionBlastRadiusReply = sessionBlastRadiusAnswer.extend(worstCases);
export const walletBlastRadiusReply = walletBlastRadiusAnswer.extend(worstCases);
export const walletYieldReply = walletYieldAnswer.extend({
  ...positionReply.shape,
  deposited: units,
  withdrawn: units,
  earned: walletYieldAnswer.shape.earned.transform((text) => (text === null ? null : BigInt(text))),
});
export const rotateKeyReply = rotateKeyAnswer;
export const transactionReply = ownerTransactionAnswer;
export const auditReply = auditAnswer.extend({
  items: z.array(
    auditAnswer.shape.items.element.extend({
      amount: auditAnswer.shape.items.element.shape.amount.transform((text) =>
        text === null ? null : BigInt(text),
      ),
    }),
  ),
});

/** `expires_at` is the end of the sign-in. */
export type SignedIn = z.output<typeof signInReply>;
/** The wallet by its record and the chain; `liquid` is null when it could not be read. */
export type Wallet = z.output<typeof walletReply>;
/** Where to send USDC once the vault exists. */
export type DepositAddress = z.output<typeof depositAddressReply>;
/** The off-chain rules; `version` counts the changes. */
export type Policy = z.output<typeof policyReply>;
/** A session by its account on chain and its record. Times are unix seconds. */
export type Session = z.output<typeof sessionReply>;
/** The most that a stolen key of a session could move, by the API. */
export type SessionBlastRadius = z.output<typeof sessionBlastRadiusReply>;
/** The most that all stolen session keys of the wallet could move, by the API. */
export type WalletBlastRadius = z.output<typeof walletBlastRadiusReply>;
/**
 * The position, and the life of the wallet in the reserve. `earned` is below 0 after a loss, and null
 * where it is not known.
 */
export type WalletYield = z.output<typeof walletYieldReply>;
/** The new key of a session, shown once. */
export type RotatedKey = z.output<typeof rotateKeyReply>;
/** One decision of the log. */
export type AuditItem = z.output<typeof auditReply>['items'][number];
