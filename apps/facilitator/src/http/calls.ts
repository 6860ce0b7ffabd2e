import type { Logger } from '@agent-wallet/process';
import type { SettleResponse, VerifyResponse } from '@x402/core/types';
import type { Metrics } from '../metrics.ts';
import type { Facilitator } from '../payment/create-facilitator.ts';
import { HttpError } from './http-error.ts';
import { parsePaymentRequest, type PaymentRequest } from './payment-request.ts';

type CallsDeps = {
  readonly facilitator: Facilitator;
  readonly concurrentSettles: number;
  readonly log: Logger;
  readonly metrics: Metrics;
};

/** The two calls that judge a payment. Both throw HttpError. */
export type Calls = {
  readonly verify: (body: unknown) => Promise<VerifyResponse>;
  readonly settle: (body: unknown) => Promise<SettleResponse>;
};

/** Parses, counts and logs the calls; at most `concurrentSettles` payments settle at a time. */
export function createCalls({ facilitator, concurrentSettles, log, metrics }: CallsDeps): Calls {
  let settling = 0;

  function refuse(reason: string): void {
    metrics.refusals.inc({ reason: codeOf(reason) });
  }

  return {
    verify: async (body) => {
      const { payload, requirements } = demandRequest(body);
      const verified = await facilitator.verify(payload, requirements);
      const outcome = verified.isValid ? 'valid' : 'invalid';
      metrics.requests.inc({ route: '/verify', outcome });
      if (!verified.isValid) refuse(verified.invalidReason ?? '');
      return verified;
    },
    settle: async (body) => {
      const { payload, requirements } = demandRequest(body);
      if (settling >= concurrentSettles) {
        const headers = { 'retry-after': '1' };
        throw new HttpError(503, 'busy', 'too many payments settle now; repeat the call', headers);
      }
      settling += 1;
      metrics.settlesInProgress.set(settling);
      const stop = metrics.settleSeconds.startTimer();
      try {
        const settled = await facilitator.settle(payload, requirements);
        const { success, errorReason = '', transaction, payer } = settled;
        const { amount, payTo } = requirements;
        metrics.requests.inc({ route: '/settle', outcome: outcomeOf(settled) });
        if (!success) refuse(errorReason);
        log.info({ success, errorReason, transaction, payer, amount, payTo }, 'payment');
        return settled;
      } finally {
        settling -= 1;
        metrics.settlesInProgress.set(settling);
        stop();
      }
    },
  };
}

function demandRequest(body: unknown): Extract<PaymentRequest, { kind: 'request' }> {
  const request = parsePaymentRequest(body);
  if (request.kind === 'request') return request;
  throw new HttpError(400, 'bad_request', request.error);
}

/** The reason without its detail, which can contain text of the caller. */
const codeOf = (reason: string): string => /^[a-z0-9_]{1,80}/.exec(reason)?.[0] ?? 'other';

function outcomeOf({ success, errorReason }: SettleResponse): string {
  if (success) return 'settled';
  return errorReason === 'settlement_pending' ? 'pending' : 'failed';
}
