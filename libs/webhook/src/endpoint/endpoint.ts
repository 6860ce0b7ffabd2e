/**
 * A webhook of an owner: where events go, which ones, and the secrets that sign them.
 *
 * `enabled` until the owner switches it off, the receiver answers 410 (`gone`), or no try has
 * succeeded for five days (`failing`). Only the owner enables it again; the events in between are not
 * sent.
 */
import { webhookEvent } from '@agent-wallet/contract';
import { sql } from 'slonik';
import { z } from 'zod';

export const webhookRow = z.object({
  webhookId: z.string(),
  walletId: z.string(),
  url: z.string(),
  events: z.array(webhookEvent),
  lowBalanceBelow: z.bigint().nullable(),
  enabled: z.boolean(),
  disabledWhy: z.enum(['owner', 'gone', 'failing']).nullable(),
  failingSince: z.date().nullable(),
  oldSecretEndsAt: z.date().nullable(),
  createdAt: z.date(),
});

/** A webhook without its secrets. `lowBalanceBelow` is in base units. */
export type Webhook = z.output<typeof webhookRow>;

/** Events that follow from rows of the audit log. */
const LOG_EVENTS = [
  'spend.settled',
  'spend.refused',
  'spend.corrected',
  'session.daily_cap_reached',
] as const satisfies readonly Webhook['events'][number][];

/** SQL: the webhook `endpoint` follows the audit log. */
export const followsLog = sql.fragment`
  (endpoint.enabled and endpoint.events && ${sql.array([...LOG_EVENTS], 'text')})
`;

/** Columns in the shape of {@link Webhook}; the table must be in scope as `endpoint`. */
export const webhookColumns = sql.fragment`
  endpoint.endpoint_id as "webhookId", endpoint.wallet_id as "walletId", endpoint.url,
  endpoint.events, endpoint.low_balance_below as "lowBalanceBelow", endpoint.enabled,
  endpoint.disabled_why as "disabledWhy", endpoint.failing_since as "failingSince", (
    select max(secret.ends_at) from webhook_secret secret
    where secret.endpoint_id = endpoint.endpoint_id and secret.ends_at > now()
  ) as "oldSecretEndsAt", endpoint.created_at as "createdAt"
`;
