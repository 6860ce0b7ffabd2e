import type { EgressAnswer } from '@agent-wallet/egress';
import type { WebhookTry } from '@agent-wallet/webhook';
import { delayAfterTries } from './retry-schedule.ts';

const GONE = 410;

/**
 * What a try came to. A status of 200 to 299 is a delivery and 410 the end of the webhook; everything
 * else is tried again, also a redirect, which is not followed. `draw` is from 0 to 1.
 */
export function judgeTry(answer: EgressAnswer, tries: number, draw: number): WebhookTry {
  const status = answer.kind === 'answered' ? answer.status : null;
  return {
    isDelivered: status !== null && status >= 200 && status < 300,
    status,
    fault: answer.kind === 'answered' ? null : faultFor(answer.reason),
    tryAgainInMs: delayAfterTries(tries, draw),
    isGone: status === GONE,
  };
}

/** For the owner: names and addresses that are not public all look alike. */
function faultFor(
  reason: Extract<EgressAnswer, { kind: 'failed' }>['reason'],
): WebhookTry['fault'] {
  switch (reason) {
    case 'tls':
    case 'timeout':
    case 'bad_answer':
      return reason;
    case 'too_large':
      return 'bad_answer';
    default:
      return 'unreachable';
  }
}
