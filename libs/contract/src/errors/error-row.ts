import type { RefusalBody } from './refusal.ts';

/** One way to be refused. The HTTP status together with `error` is the contract. */
export type ErrorRow = {
  readonly status: number;
  readonly error: string;
  /** What is only an example here. */
  readonly varies?: readonly ('error' | 'code' | 'layer')[];
  /** Off-chain where nothing is said. */
  readonly layer?: RefusalBody['layer'];
  /** Null: it depends, the answer tells. */
  readonly retryable: boolean | null;
  readonly when: string;
  /** Fields that this refusal has beside the common ones, as an example. */
  readonly extra?: Partial<RefusalBody>;
};

export type ErrorRows = Readonly<Record<string, ErrorRow>>;

/** For examples. */
export const SPEND_ID = '0190f5a4-7d3c-8e21-a6b4-2f9c0d1e3a57';
export const SIGNATURE =
  '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';
