import type { Story } from './forks.ts';

/** The faults of single calls, decided by the seed and the number of the call. */
export const LIES = [
  'drop_request',
  'drop_answer',
  'delay',
  'stall',
  'duplicate',
  'rate_limit',
  'server_error',
  'garbage',
  'blockhash_not_found',
  'already_processed',
  'lag',
] as const;
export type Lie = (typeof LIES)[number];

/** Fault rates: shares of the calls, of the signatures, of the first sends. */
export type Profile = {
  readonly lies: Readonly<Partial<Record<Lie, number>>>;
  /** Share of the signatures that are unknown to the first looks at them. */
  readonly forgets?: number;
  readonly stories?: Readonly<Partial<Record<Story, number>>>;
  /** Calls in ten seconds, beyond which the endpoint throttles. */
  readonly limits?: { readonly calls: number; readonly callsOfMethod: number };
};

/** The fault rates by name. */
export const PROFILES = {
  honest: { lies: {} },
  drops: { lies: { drop_request: 0.03, drop_answer: 0.05 } },
  slow: { lies: { delay: 0.2, stall: 0.005, duplicate: 0.2 } },
  errors: {
    lies: {
      rate_limit: 0.03,
      server_error: 0.02,
      garbage: 0.02,
      blockhash_not_found: 0.2,
      already_processed: 0.2,
    },
  },
  forgets: { lies: { drop_answer: 0.03 }, forgets: 0.4 },
  lags: { lies: { lag: 0.4 } },
  // What is left of the limits of a public node for each of three processes.
  'public node': { lies: {}, limits: { calls: 34, callsOfMethod: 14 } },
  'always behind': { lies: { lag: 1 } },
  forks: { lies: {}, stories: { early_landing: 0.15, failed_first: 0.15 } },
  'forks out': { lies: {}, stories: { forks_out: 0.1 } },
  'late refusals': { lies: {}, stories: { late_refusal: 0.1 } },
  everything: {
    lies: {
      drop_request: 0.01,
      drop_answer: 0.02,
      delay: 0.05,
      stall: 0.002,
      duplicate: 0.04,
      rate_limit: 0.01,
      server_error: 0.01,
      garbage: 0.01,
      blockhash_not_found: 0.05,
      already_processed: 0.05,
      lag: 0.15,
    },
    forgets: 0.15,
    stories: { early_landing: 0.03, late_refusal: 0.02 },
  },
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof PROFILES;
