import type { ErrorName } from '@agent-wallet/contract';

/** Who may call: the owner with the cookie, an agent with its key, anybody. */
export type Caller = 'owner' | 'agent' | 'anybody';

/** What the document says of a route beside its schemas. */
export type RouteDoc = {
  readonly tag: Tag;
  readonly caller: Caller;
  readonly summary: string;
  readonly description?: string;
  /** Refusals of its own; those of its caller and of its body are added. */
  readonly errors?: readonly ErrorName[];
  /** Takes `Prefer` and `Idempotency-Key`, and may answer 202. */
  readonly movesMoney?: boolean;
  /** Content type of an answer that is no JSON. */
  readonly produces?: string;
  /** Passes on what somebody else answers: any status, any body. */
  readonly passesOn?: string;
};

/** Headings of the document, in its order. */
export const TAGS = {
  'Sign-in': "The owner proves to hold the wallet's key and gets a cookie.",
  Wallet: "The owner's vault: its creation, its state, its rules.",
  Sessions: 'What the owner lets an agent do.',
  Audit: 'Every decision, allowed and denied.',
  Spending: 'What agents do with their key.',
  'Before spending': 'What an agent can ask before it spends; where the operator allows it.',
  Yield: 'The one reserve in which a part of the vault can be deployed.',
  Operation: "For the operator's network, and this document.",
} as const;

type Tag = keyof typeof TAGS;

declare module 'fastify' {
  interface FastifyContextConfig {
    doc?: RouteDoc;
  }
}
