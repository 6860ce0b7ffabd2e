import { judgeServiceUrl } from '@agent-wallet/policy/services';
import { badRequest } from '../http/http-refusal.ts';

/**
 * The URL of a webhook in its normal spelling. Throws 400 for one that could not be called: the
 * rules are those of paid services, and each try applies them again.
 */
export function readWebhookUrl(text: string, loopbackOrigins: readonly string[]): string {
  const judged = judgeServiceUrl(text, loopbackOrigins);
  if (!judged.ok) throw badRequest(`url ${judged.reason}`);
  return judged.url.href;
}
