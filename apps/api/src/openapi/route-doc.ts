import type { ErrorName } from '@agent-wallet/contract';

/** Who may call the route: the owner with the cookie, an agent with its key, both, or any client. */
export type Caller = 'owner' | 'agent' | 'owner or agent' | 'anybody';

/** A route's documentation beside its schemas. */
export type RouteDoc = {
  readonly tag: Tag;
  readonly caller: Caller;
  readonly summary: string;
  readonly description?: string;
  /** Its own refusals; those of its caller and of its body are added. */
  readonly errors?: readonly ErrorName[];
  /** Takes `Prefer` and `Idempotency-Key`, and may return 202. */
  readonly movesMoney?: boolean;
  /** Takes an `Idempotency-Key`; under the same one it returns what it has created. */
  readonly createsOnce?: boolean;
  /** Content type of a response other than JSON. */
  readonly produces?: string;
  /** Describes a response that is passed on from a service: any status, any body. */
  readonly passesOn?: string;
};

/** The document's sections, in order. */
export const TAGS = {
  Configuration: 'What a client has to know about the deployment.',
  'Sign-in': "The owner proves possession of the wallet's key and receives a cookie.",
  Wallet: "The owner's vault: its creation, its state, its rules.",
  Sessions: 'The permissions that an owner gives to agents.',
  Audit: 'All decisions, allowed and denied.',
  Webhooks: 'URLs of the owner that get signed events.',
  Spending: 'Payments by agents.',
  'Before spending': 'Limits and quotes for agents, where the operator enables them.',
  Yield: 'Deposits to the yield reserve and withdrawals from it.',
  Operation: 'Health and this document.',
} as const;

type Tag = keyof typeof TAGS;

declare module 'fastify' {
  interface FastifyContextConfig {
    doc?: RouteDoc;
  }
}
