import type { WebhookKeystore } from '@agent-wallet/keystore';
import type { LeasedWebhookDelivery } from '@agent-wallet/webhook';
import { Webhook } from 'standardwebhooks';

/**
 * The headers of a delivery in the form of Standard Webhooks: the same id in every try, the time of
 * this one, and a signature by each secret. Throws KEYSTORE_UNAVAILABLE.
 */
export function signDelivery(
  { eventId, body, secrets }: LeasedWebhookDelivery,
  keystore: WebhookKeystore,
  now: Date,
): Readonly<Record<string, string>> {
  const signatures = secrets.map(({ secretId, sealed }) =>
    new Webhook(keystore.open(secretId, Buffer.from(sealed, 'base64'))).sign(eventId, now, body),
  );
  return {
    'content-type': 'application/json',
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': signatures.join(' '),
  };
}
