import type { RefusalBody } from '@agent-wallet/contract';

/**
 * What an agent asked for. `recipient` is an owner's address, null where money moves between the
 * vault and its yield reserve; `amount` in base units.
 */
export type Ask = {
  readonly recipient: string | null;
  readonly amount: bigint;
  readonly idempotencyKey?: string;
};

export type Allowed = {
  readonly spendId: string;
  readonly recipient: string | null;
  readonly amount: bigint;
  readonly txSignature: string;
};

export type Denied = {
  readonly spendId: string | null;
  readonly recipient: string | null;
  readonly amount: bigint;
  readonly reason: string;
};

/**
 * What the agents were told about their spends: the book that the audit log and the chain are
 * compared with at the end. An answer that was repeated counts once.
 */
export type SpendLedger = {
  allow(ask: Ask, spendId: string, txSignature: string): void;
  deny(ask: Ask, refusal: Pick<RefusalBody, 'code' | 'spend_id'>): void;
  readonly allowed: () => readonly Allowed[];
  readonly denied: () => readonly Denied[];
};

export function createSpendLedger(): SpendLedger {
  const allowed = new Map<string, Allowed>();
  const denied = new Map<string, Denied>();
  return {
    allow: ({ recipient, amount }, spendId, txSignature) => {
      allowed.set(spendId, { spendId, recipient, amount, txSignature });
    },
    deny: ({ recipient, amount }, { code, spend_id: spendId = null }) => {
      // A refusal before acceptance has no id; each of those is a decision of its own.
      const key = spendId ?? `before acceptance ${denied.size}`;
      denied.set(key, { spendId, recipient, amount, reason: code });
    },
    allowed: () => [...allowed.values()],
    denied: () => [...denied.values()],
  };
}

/** Sum of the amounts, in base units. */
export function totalOf(rows: readonly { readonly amount: bigint }[]): bigint {
  return rows.reduce((sum, { amount }) => sum + amount, 0n);
}
