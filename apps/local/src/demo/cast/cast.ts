import type { Agent } from './agent.ts';
import type { CreatedSession, OwnerClient } from '@agent-wallet/sdk/owner';
import type { Stage } from '../stage.ts';

/** The vault and the payees; addresses in base58. */
export type Cast = {
  readonly owner: OwnerClient;
  readonly walletId: string;
  readonly vaultUsdcAta: string;
  /** The owner's deposit, in base units. */
  readonly funded: bigint;
  readonly bakery: string;
  readonly printer: string;
  /** An allowed recipient without a USDC token account. */
  readonly unbanked: string;
  /** Not an allowed recipient of any session, with a token account. */
  readonly stranger: string;
};

export type Grantee = {
  readonly session: CreatedSession;
  readonly agent: Agent;
  readonly apiKey: string;
};

/** The balances of vault, bakery, printer and stranger, in base units. */
export type Holdings = {
  readonly vault: bigint;
  readonly bakery: bigint;
  readonly printer: bigint;
  readonly stranger: bigint;
};

/** All balances of the demo in one read. */
export async function readHoldings(stage: Stage, cast: Cast): Promise<Holdings> {
  const { bakery, printer, stranger, vaultUsdcAta } = cast;
  const accounts = [
    vaultUsdcAta,
    ...[bakery, printer, stranger].map((one) => stage.chain.usdcAccountOf(one)),
  ];
  const [vault = 0n, ofBakery = 0n, ofPrinter = 0n, ofStranger = 0n] =
    await stage.chain.balances(accounts);
  return { vault, bakery: ofBakery, printer: ofPrinter, stranger: ofStranger };
}
