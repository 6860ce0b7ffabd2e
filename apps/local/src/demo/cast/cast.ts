import type { Agent } from './agent.ts';
import type { Owner } from './owner.ts';
import type { Stage } from '../stage.ts';

/** The vault and everybody who can be paid; names are for people, addresses are base58. */
export type Cast = {
  readonly owner: Owner;
  readonly walletId: string;
  readonly vaultUsdcAta: string;
  /** What the owner has put into the vault, in base units. */
  readonly funded: bigint;
  readonly bakery: string;
  readonly printer: string;
  /** On the lists of the sessions, but without a USDC token account. */
  readonly unbanked: string;
  /** On nobody's list, with a token account. */
  readonly stranger: string;
};

export type Grantee = {
  readonly sessionId: string;
  readonly sessionPda: string;
  readonly agent: Agent;
  readonly apiKey: string;
};

/** What vault, bakery, printer and stranger hold, in base units. */
export type Holdings = {
  readonly vault: bigint;
  readonly bakery: bigint;
  readonly printer: bigint;
  readonly stranger: bigint;
};

/** All balances of the story in one read. */
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
