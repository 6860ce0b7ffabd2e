import type { Words } from './words.ts';

/** Refusals by the policy, the balance and the budgets, before anything goes to the chain. */
export const RULE_WORDS = {
  OUTSIDE_TIME_WINDOW: {
    why: 'The agent tried to spend outside your hours.',
    advice: 'Change the time window in the policy if it should have passed.',
  },
  URL_NOT_ALLOWED: {
    why: 'No entry of your URL allowlist covers this URL at this price.',
    advice: 'Add the URL to the policy, or raise its limit per call.',
  },
  INSUFFICIENT_LIQUID: {
    why: 'The vault did not hold enough available USDC.',
    advice: 'Add USDC, or withdraw from yield.',
  },
  QUOTED_OVER_MAX: {
    why: 'The service asked for more than the agent or the catalog allows.',
  },
  PROGRAM: { why: 'A program on chain refused the transaction.' },
  PARTIAL_LIQUIDITY: {
    why: 'The yield reserve could not return the whole amount.',
    advice: 'Withdraw less, or wait until the reserve has more.',
  },
  YIELD_DISABLED: { why: 'Yield is switched off in this environment.' },
  TOO_MANY_PENDING: {
    why: 'Too many spends were pending at the same time.',
    advice: 'The agent can go on when some of them have settled.',
  },
  TOO_MANY_REFUSALS: {
    why: 'Too many requests were refused within an hour.',
    advice: 'Look at the refusals before this one: they show what the agent does wrong.',
  },
  FEE_BUDGET_EXCEEDED: {
    why: 'The session has used up its network fees of the day.',
    advice: 'It can spend again after midnight UTC.',
  },
  REVERT_BUDGET_EXCEEDED: {
    why: 'Too many transactions of this session failed on chain within 24 hours.',
    advice: 'Look at what they have in common before the session spends again.',
  },
} as const satisfies Record<string, Words>;
