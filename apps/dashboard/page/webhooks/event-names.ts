import type { WebhookDelivery, WebhookEventType } from '@agent-wallet/sdk/owner';

/** The events that a webhook can get, as the page names them, in the order of the form. */
export const EVENT_NAMES: Readonly<Record<WebhookEventType, string>> = {
  'spend.settled': 'A spend has settled',
  'spend.refused': 'A spend was refused',
  'spend.corrected': 'A decision was corrected',
  'session.daily_cap_reached': 'A session has reached its daily cap',
  'session.expiring': 'A session is about to expire',
  'wallet.low_balance': 'The balance is low',
};

/** The same with the event that a test sends. */
export const eventName = (type: WebhookDelivery['type']): string =>
  type === 'webhook.test' ? 'Test' : EVENT_NAMES[type];

export const EVENTS: readonly WebhookEventType[] = [
  'spend.settled',
  'spend.refused',
  'spend.corrected',
  'session.daily_cap_reached',
  'session.expiring',
  'wallet.low_balance',
];
