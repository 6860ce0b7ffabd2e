/** All that the chain holds for an owner in a vault, and what leaving takes. */

import type { NamedSession } from '../build/instructions.ts';
import type { VaultState } from '../program/program.ts';

/** A token account of the vault or of its yield authority, other than the vault's own for USDC. */
export type HeldTokenAccount = {
  readonly address: string;
  readonly authority: 'vault' | 'yield';
  readonly role: 'transit' | 'collateral' | 'other';
  readonly mint: string;
  readonly tokenProgram: string;
  /** In units of the mint. */
  readonly amount: bigint;
  /** False when somebody else kept the right to close it. */
  readonly isClosable: boolean;
};

/** Read at `confirmed`; amounts in base units. */
export type Holdings = {
  readonly vault: VaultState;
  /** The open sessions that the node lists. */
  readonly sessions: readonly NamedSession[];
  /** USDC in the vault's own token account. */
  readonly liquid: bigint;
  readonly tokenAccounts: readonly HeldTokenAccount[];
  /** Units of collateral that the reserve can pay for now; null without a reserve to call. */
  readonly payableCollateral: bigint | null;
  /** Lamports of the vault beyond its rent. */
  readonly spareLamports: bigint;
  /** Lamports of the yield authority, which needs none. */
  readonly yieldLamports: bigint;
};

/** The collateral that the vault holds, in its units. */
export function collateralOf({ tokenAccounts }: Holdings): bigint {
  const held = tokenAccounts.filter(({ role }) => role === 'collateral');
  return held.reduce((sum, { amount }) => sum + amount, 0n);
}

/**
 * How many sessions the program counts as open. A vault of version 1 counts each session that was
 * ever created.
 */
export function countedSessions({ openSessions, nextSessionIndex }: VaultState): bigint {
  return openSessions ?? nextSessionIndex;
}
