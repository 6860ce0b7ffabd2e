/** How the off-chain rules refuse. */

import { type RefusalFields, toAmountOut } from '@agent-wallet/contract';
import type { UsedUp } from '@agent-wallet/spend';
import { type HttpRefusal, refuse } from '../http/http-refusal.ts';

/** 403. `opensAtMs` null: no opening in sight. */
export function outsideTimeWindow(opensAtMs: number | null): HttpRefusal {
  return refuse('OUTSIDE_TIME_WINDOW', {
    retryable: opensAtMs !== null,
    opens_at: opensAtMs === null ? null : Math.ceil(opensAtMs / 1000),
  });
}

/** 403. `maxPerCall` null: no pattern covers the URL. */
export function urlNotAllowed(maxPerCall: bigint | null): HttpRefusal {
  return maxPerCall === null
    ? refuse('URL_NOT_ALLOWED', { remedy: 'have the owner add the URL to the allowlist' })
    : refuse('URL_NOT_ALLOWED', { max_per_call: toAmountOut(maxPerCall) });
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
  return refuse('INSUFFICIENT_LIQUID', {
    retryable: reservationsDecide,
    liquid: toAmountOut(liquid),
    amount: toAmountOut(amount),
    deficit: toAmountOut(amount - free),
    ...(reservationsDecide
      ? {
          reserved: toAmountOut(reserved),
          remedy: 'retry when the spends in flight have settled',
        }
      : {}),
    ...(deployed === undefined ? {} : { deployed: toAmountOut(deployed) }),
  });
}

/** 409. `available` is the most that can be withdrawn now, undefined when it could not be read. */
export function partialLiquidity(
  available: bigint | undefined,
  fields: RefusalFields<'PARTIAL_LIQUIDITY'> = { layer: 'off-chain' },
): HttpRefusal {
  return refuse('PARTIAL_LIQUIDITY', {
    ...(available === undefined ? {} : { available: toAmountOut(available) }),
    ...fields,
  });
}

/** 429: the session has used up one of its budgets. */
export function overBudget({ budget, retryAfterSeconds }: UsedUp): HttpRefusal {
  const name = budget === 'fees' ? 'FEE_BUDGET_EXCEEDED' : 'REVERT_BUDGET_EXCEEDED';
  return refuse(name, {}, { headers: { 'retry-after': String(Math.max(1, retryAfterSeconds)) } });
}

/** 402: the price is above what the agent or the operator allows. */
export function quotedOverMax(quoted: bigint, maxAmount: bigint): HttpRefusal {
  return refuse('QUOTED_OVER_MAX', {
    quoted: toAmountOut(quoted),
    max_amount: toAmountOut(maxAmount),
  });
}

/** 404. */
export const serviceNotFound = (slug: string): HttpRefusal =>
  refuse('SERVICE_NOT_FOUND', { error: `service '${slug}' not in catalog or disabled` });
