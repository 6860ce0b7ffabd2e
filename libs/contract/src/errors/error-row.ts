import type { RefusalBody } from './refusal.ts';

/** One refusal of the HTTP interface. The HTTP status together with `error` is the contract. */
export type ErrorRow = {
  readonly status: number;
  readonly error: string;
  /** Fields whose value here is only an example; each refusal sets its own. */
  readonly varies?: readonly ('error' | 'code' | 'layer')[];
  /** Off-chain by default. */
  readonly layer?: RefusalBody['layer'];
  /** Null: each refusal sets its own. */
  readonly retryable: boolean | null;
  /** Sent with each refusal, unless it sets another. */
  readonly detail?: string;
  readonly remedy?: string;
  /** Completes "Refused when …" in the OpenAPI document. */
  readonly when: string;
  /** Example values of the fields that each refusal sets. */
  readonly example?: Partial<RefusalBody>;
};

export type ErrorRows = Readonly<Record<string, ErrorRow>>;
