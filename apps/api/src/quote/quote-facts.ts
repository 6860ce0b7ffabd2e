import type { SessionState, VaultState } from '@agent-wallet/chain';
import type { PolicyAnswer } from '@agent-wallet/contract';
import type { Reserved, Service } from '@agent-wallet/spend';

/** The spend that a quote is about. Amounts in base units. */
export type QuotedSpend = { readonly amount: bigint; readonly recipient: string | null } & (
  | { readonly kind: 'transfer' | 'yield_deposit' | 'yield_withdraw' }
  | { readonly kind: 'sign_payment'; readonly url: string }
  /** `service` null: no enabled entry of that slug. */
  | { readonly kind: 'pay_service'; readonly slug: string; readonly service: Service | null }
);

/** The facts that both layers of rules read, as of now. */
export type QuoteFacts = {
  readonly policy: PolicyAnswer;
  readonly vault: VaultState | null;
  readonly liquid: bigint;
  readonly session: SessionState | null;
  /** Whether the session was ever seen on chain. */
  readonly wasLive: boolean;
  readonly reserved: Reserved;
  readonly isYieldOff: boolean;
  /** What the reserve has for a withdrawal where that is too little; else null. */
  readonly available: bigint | null;
  /** Whether the recipient has a USDC token account. */
  readonly isPayable: boolean;
  readonly nowMs: number;
};
