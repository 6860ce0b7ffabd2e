import type { SessionRequest } from '@agent-wallet/sdk/owner';
import { z } from 'zod';

/**
 * Sessions that were asked for and not signed yet, kept in this browser: a reload between the
 * creation and the signature must not lose them. A draft holds no key and no secret. Its request
 * and idempotency key let the API return the same session again, with a new transaction.
 */
export type SessionDraft = {
  readonly idempotencyKey: string;
  readonly request: SessionRequest;
  /** Null until the API has replied. */
  readonly sessionId: string | null;
};

const amount = z.string().regex(/^[0-9]{1,20}$/);
const stored = z.array(
  z.object({
    idempotencyKey: z.string(),
    sessionId: z.string().nullable(),
    request: z.object({
      wallet_id: z.string(),
      max_per_tx: amount.transform(BigInt),
      daily_cap: amount.transform(BigInt),
      expiry: z.int(),
      allowed_instructions: z.int(),
      allowed_recipients: z.array(z.string()),
    }),
  }),
);

/** Where drafts are kept; `localStorage` fits. */
export type DraftStore = Pick<Storage, 'getItem' | 'setItem'>;

const keyOf = (owner: string): string => `agent-wallet:session-drafts:${owner}`;

/** An owner's drafts whose session could still be signed; `now` in unix seconds. */
export function readDrafts(store: DraftStore, owner: string, now: number): readonly SessionDraft[] {
  const found = stored.safeParse(parseJson(store.getItem(keyOf(owner)) ?? '[]'));
  // Text that this version did not write is no draft.
  return (found.data ?? []).filter(({ request }) => request.expiry > now);
}

/** Keeps a draft in place of one with the same idempotency key. */
export function keepDraft(
  store: DraftStore,
  owner: string,
  draft: SessionDraft,
  now: number,
): void {
  const others = readDrafts(store, owner, now).filter(
    ({ idempotencyKey }) => idempotencyKey !== draft.idempotencyKey,
  );
  write(store, owner, [...others, draft]);
}

export function dropDraft(
  store: DraftStore,
  owner: string,
  idempotencyKey: string,
  now: number,
): void {
  const drafts = readDrafts(store, owner, now);
  write(
    store,
    owner,
    drafts.filter((draft) => draft.idempotencyKey !== idempotencyKey),
  );
}

function write(store: DraftStore, owner: string, drafts: readonly SessionDraft[]): void {
  const text = JSON.stringify(drafts, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  store.setItem(keyOf(owner), text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
