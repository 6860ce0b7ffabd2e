/** Session keypairs and the secrets of webhooks: sealed at rest, opened only where they sign. */
export { countFreeSessionKeys } from './count-free-keys.ts';
export { createKeystore, type Keystore } from './keystore.ts';
export { createDataKeys, type DataKey } from './data-keys.ts';
export { openKeystore } from './open-keystore.ts';
export { createOpenSessionKey } from './open-session-key.ts';
export type { ResealPage } from './reseal.ts';
export { type KeystoreKeys, openWrappingKeys } from './wrapping/open-wrapping-keys.ts';
export { openWebhookKeystore, type WebhookKeystore } from './webhook-keystore.ts';
export { sealWebhookSecret } from './webhook-secret.ts';
