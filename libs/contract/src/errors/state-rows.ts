import type { ErrorRows } from './error-row.ts';

/** Refusals by what exists, and in which state it is. */
export const STATE_ROWS = {
  WALLET_NOT_FOUND: {
    status: 404,
    error: 'wallet not found',
    retryable: false,
    when: "the owner has no wallet, or the id is not that wallet's",
  },
  SESSION_NOT_FOUND: {
    status: 404,
    error: 'session not found',
    retryable: false,
    when: 'the owner has no session with this id',
  },
  SPEND_NOT_FOUND: {
    status: 404,
    error: 'spend not found',
    retryable: false,
    when: 'the session has no spend with this id',
  },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    error: 'webhook not found',
    retryable: false,
    when: 'the owner has no webhook with this id',
  },
  SERVICE_NOT_FOUND: {
    status: 404,
    error: "service 'weather' not in catalog or disabled",
    varies: ['error'],
    retryable: false,
    when: 'the catalog has no enabled entry with this slug',
  },
  WALLET_ALREADY_EXISTS: {
    status: 409,
    error: 'wallet already exists',
    retryable: false,
    remedy: 'read it with GET /v1/wallet',
    when: 'the vault is already on chain',
  },
  WALLET_NOT_ACTIVE: {
    status: 409,
    error: 'wallet not active',
    retryable: false,
    remedy: 'sign and submit the transaction of POST /v1/wallet first',
    when: 'the vault is not on chain yet',
  },
  SESSION_NOT_LIVE: {
    status: 409,
    error: 'session not live',
    retryable: false,
    remedy: 'sign and submit the transaction of POST /v1/session first',
    when: 'the session is not on chain yet',
  },
  SESSION_ALREADY_REVOKED: {
    status: 409,
    error: 'session already revoked',
    retryable: false,
    when: 'the session is no longer on chain',
  },
  SESSION_EXPIRED: {
    status: 409,
    error: 'session expired',
    retryable: false,
    remedy: 'send a new expiry with the change',
    when: 'a change of an expired session sets no new expiry',
  },
  TOO_MANY_WEBHOOKS: {
    status: 409,
    error: 'too many webhooks',
    retryable: false,
    remedy: 'delete a webhook, or change one with PATCH',
    when: 'the wallet has 5 webhooks',
  },
  WEBHOOKS_DISABLED: {
    status: 503,
    error: 'webhooks disabled',
    retryable: false,
    detail: 'webhooks are switched off in this environment',
    when: 'webhooks are switched off in this environment',
  },
  WEBHOOK_DISABLED: {
    status: 409,
    error: 'webhook disabled',
    retryable: false,
    remedy: 'enable it with PATCH first',
    when: 'the webhook is disabled',
  },
  NOTHING_TO_WITHDRAW: {
    status: 409,
    error: 'nothing to withdraw',
    retryable: false,
    when: 'the balance to withdraw from is 0',
  },
} as const satisfies ErrorRows;
