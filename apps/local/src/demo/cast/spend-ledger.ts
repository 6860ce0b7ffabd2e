import type { AgentWalletError } from '@agent-wallet/sdk';

/**
 * A spend that an agent requests. `recipient` is an owner's address, null where money moves between
 * the vault and its yield reserve; `amount` is in base units.
 */
export type SpendRequest = { readonly recipient: string | null; readonly amount: bigint };

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
 * The outcomes that the agents received, compared with the audit log and the chain at the end. A
 * repeated reply counts once.
 */
export type SpendLedger = {
  allow(request: SpendRequest, spendId: string, txSignature: string): void;
  deny(request: SpendRequest, refusal: Pick<AgentWalletError, 'sentCode' | 'details'>): void;
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
    deny: ({ recipient, amount }, { sentCode: reason, details: { spend_id: spendId = null } }) => {
      // A refusal before acceptance has no id; each of those is a decision of its own.
      const key = spendId ?? `before acceptance ${denied.size}`;
      denied.set(key, { spendId, recipient, amount, reason });
    },
    allowed: () => [...allowed.values()],
    denied: () => [...denied.values()],
  };
}

/** Sum of the amounts, in base units. */
export function totalOf(rows: readonly { readonly amount: bigint }[]): bigint {
  return rows.reduce((sum, { amount }) => sum + amount, 0n);
}
