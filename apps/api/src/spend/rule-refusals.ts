/** How the off-chain rules refuse. */

import { toAmountOut } from '@agent-wallet/contract';
import { type Extra, type HttpRefusal, refuse } from '../http/http-refusal.ts';

/** 403. `opensAtMs` null: no opening in sight. */
export function outsideTimeWindow(opensAtMs: number | null): HttpRefusal {
  return refuse(403, 'OUTSIDE_TIME_WINDOW', 'OUTSIDE_TIME_WINDOW', {
    retryable: opensAtMs !== null,
    opens_at: opensAtMs === null ? null : Math.ceil(opensAtMs / 1000),
    remedy: 'wait until opens_at, or have the owner change the time window',
  });
}

/** 403. `maxPerCall` null: no pattern covers the URL. */
export function urlNotAllowed(maxPerCall: bigint | null): HttpRefusal {
  return refuse(403, 'URL_NOT_ALLOWED', 'URL_NOT_ALLOWED', {
    ...(maxPerCall === null ? {} : { max_per_call: toAmountOut(maxPerCall) }),
    remedy:
      maxPerCall === null
        ? 'have the owner add the URL to the allowlist'
        : 'pay at most max_per_call, or have the owner raise it',
  });
}

/** 402. Amounts in base units; `reserved` is what spends in flight hold. */
export function insufficientLiquid(facts: {
  readonly amount: bigint;
  readonly liquid: bigint;
  readonly reserved: bigint;
  /** Told where it is yield that lacks the money. */
  readonly deployed?: bigint | undefined;
}): HttpRefusal {
  const { amount, liquid, reserved, deployed } = facts;
  const free = liquid > reserved ? liquid - reserved : 0n;
  const reservationsDecide = amount <= liquid;
  return refuse(402, 'INSUFFICIENT_LIQUID', 'INSUFFICIENT_LIQUID', {
    retryable: reservationsDecide,
    liquid: toAmountOut(liquid),
    amount: toAmountOut(amount),
    deficit: toAmountOut(amount - free),
    ...(reservationsDecide ? { reserved: toAmountOut(reserved) } : {}),
    ...(deployed === undefined ? {} : { deployed: toAmountOut(deployed) }),
    remedy: reservationsDecide
      ? 'retry when the spends in flight have settled'
      : "send USDC to the vault's token account, or withdraw from yield first",
  });
}

/** 503, and nothing in the log: there is nothing to decide about. */
export const yieldDisabled = (): HttpRefusal =>
  refuse(503, 'YIELD_DISABLED', 'YIELD_DISABLED', {
    detail: 'yield is switched off in this environment; GET /v1/yield/position still answers',
  });

/** 409. `available` is the most that can be withdrawn now, undefined when it could not be read. */
export function partialLiquidity(available: bigint | undefined, extra: Extra = {}): HttpRefusal {
  return refuse(409, 'PARTIAL_LIQUIDITY', 'PARTIAL_LIQUIDITY', {
    retryable: true,
    ...(available === undefined ? {} : { available: toAmountOut(available) }),
    remedy: 'withdraw at most available, or wait until the reserve has more',
    ...extra,
  });
}

/** 402: the price is above what the agent or the operator allows. */
export function quotedOverMax(quoted: bigint, maxAmount: bigint): HttpRefusal {
  return refuse(402, 'QUOTED_OVER_MAX', 'QUOTED_OVER_MAX', {
    quoted: toAmountOut(quoted),
    max_amount: toAmountOut(maxAmount),
    remedy: 'raise max_amount; above that decides what the operator allows this service',
  });
}

/** 404. */
export const serviceNotFound = (slug: string): HttpRefusal =>
  refuse(404, `service '${slug}' not in catalog or disabled`, 'SERVICE_NOT_FOUND');
