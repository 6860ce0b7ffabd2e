import { randomBytes, randomUUID } from 'node:crypto';
import type { Database } from '@agent-wallet/db';
import { sealWebhookSecret } from '@agent-wallet/keystore';
import { readSealingKey } from '@agent-wallet/webhook';
import { refuse } from '../http/http-refusal.ts';

const SECRET_BYTES = 32;

/**
 * A new secret in the form of Standard Webhooks, in the clear and as it is stored. Throws 503
 * `webhooks disabled` without a key to seal it to.
 */
export async function newSecret(db: Database): Promise<{
  readonly secret: string;
  readonly sealed: { readonly secretId: string; readonly sealed: Buffer };
}> {
  const sealingKey = await readSealingKey(db);
  if (sealingKey === null) throw refuse('WEBHOOKS_DISABLED');
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  const secretId = randomUUID();
  return { secret, sealed: { secretId, sealed: sealWebhookSecret(sealingKey, secretId, secret) } };
}
