import { toTimeWindow } from '@agent-wallet/wallet';
import { isWithinWindow, opensAt } from '@agent-wallet/policy';
import { type HttpRefusal, refuse } from '../http/http-refusal.ts';
import { judgeUrl } from '../spend/judge-url.ts';
import {
  insufficientLiquid,
  outsideTimeWindow,
  partialLiquidity,
  quotedOverMax,
  serviceNotFound,
  urlNotAllowed,
} from '../spend/rule-refusals.ts';
import { type QuotedAsk, type QuoteFacts } from './quote-facts.ts';

/** What the api would refuse, in the order in which it asks; pure. */
export function judgeOffChain(facts: QuoteFacts, ask: QuotedAsk): HttpRefusal[] {
  return [
    judgeYield(facts, ask),
    judgeHours(facts),
    judgePlace(facts, ask),
    judgeMoney(facts, ask),
    facts.available === null ? null : partialLiquidity(facts.available),
  ].filter((refusal) => refusal !== null);
}

function judgeYield({ isYieldOff }: QuoteFacts, { kind }: QuotedAsk): HttpRefusal | null {
  const isYield = kind === 'yield_deposit' || kind === 'yield_withdraw';
  return isYield && isYieldOff ? refuse('YIELD_DISABLED') : null;
}

function judgeHours({ policy, nowMs }: QuoteFacts): HttpRefusal | null {
  const window = toTimeWindow(policy.time_window);
  return isWithinWindow(window, nowMs) ? null : outsideTimeWindow(opensAt(window, nowMs));
}

/** The URL or the service that the money is for. */
function judgePlace({ policy }: QuoteFacts, ask: QuotedAsk): HttpRefusal | null {
  switch (ask.kind) {
    case 'sign_payment': {
      const verdict = judgeUrl(policy.url_allowlist, ask.url, ask.amount);
      return verdict.kind === 'allowed' ? null : urlNotAllowed(verdict.maxPerCall);
    }
    case 'pay_service': {
      if (ask.service === null) return serviceNotFound(ask.slug);
      const { maxPrice } = ask.service;
      return ask.amount > maxPrice ? quotedOverMax(ask.amount, maxPrice) : null;
    }
    default:
      return null;
  }
}

/** Taking money out of yield needs none that is liquid. */
function judgeMoney(facts: QuoteFacts, { kind, amount }: QuotedAsk): HttpRefusal | null {
  const { liquid } = facts;
  const reserved = facts.reserved.wallet;
  if (kind === 'yield_withdraw' || amount <= liquid - reserved) return null;
  const deployed = kind === 'yield_deposit' ? facts.vault?.deployedAmount : undefined;
  return insufficientLiquid({ amount, liquid, reserved, deployed });
}
