import { type Deployment, type OwnerAddresses, type Reserve, TOKEN_PROGRAM } from './addresses.ts';
import { createDescriber, createTokenAccount } from './describe-instruction.ts';
import type { ArgValue, ExpectedInstruction } from './expected-instruction.ts';

/** The amount by which an owner withdraws all there is. */
const EVERYTHING = 2n ** 64n - 1n;

/** All limits of a session. Amounts are base units, `expiry` unix seconds. */
export type SessionLimits = {
  readonly max_per_tx: bigint;
  readonly daily_cap: bigint;
  readonly expiry: number;
  /** A sum of 1 (transfer), 2 (yield deposit) and 4 (yield withdraw), or 0. */
  readonly allowed_instructions: number;
};

/** A session on chain: at its derived address, with its index where that is known. */
export type ExpectedSession = { readonly pda: string; readonly index: bigint | null };

/** The addresses of the accounts that yield needs, and their mint. */
export type YieldAccounts = { readonly collateralMint: string; readonly collateralAta: string };

/** What each transaction of an owner must contain. */
export type Expectations = {
  /** With `yieldAccounts` the transaction prepares the vault for yield as well. */
  initVault(bp: number, yieldAccounts: YieldAccounts | null): readonly ExpectedInstruction[];
  addSession(
    session: ExpectedSession & { readonly pubkey: string },
    limits: SessionLimits,
    recipients: readonly string[],
  ): readonly ExpectedInstruction[];
  updateLimits(session: ExpectedSession, limits: SessionLimits): readonly ExpectedInstruction[];
  updateRecipients(
    session: ExpectedSession,
    recipients: readonly string[],
  ): readonly ExpectedInstruction[];
  revokeSession(session: ExpectedSession): readonly ExpectedInstruction[];
  setPaused(paused: boolean): readonly ExpectedInstruction[];
  /** With `yieldAccounts` the transaction prepares the vault for yield as well. */
  setMaxDeployedFraction(
    bp: number,
    yieldAccounts: YieldAccounts | null,
  ): readonly ExpectedInstruction[];
  /** Prepares the vault for yield as well. */
  yieldDeposit(amount: bigint, reserve: Reserve & YieldAccounts): readonly ExpectedInstruction[];
  /** Null is an unknown number of units: the program lets them return no more than `amount`. */
  yieldWithdraw(
    amount: bigint | 'all',
    reserve: Reserve & YieldAccounts,
    collateral: bigint | null,
  ): readonly ExpectedInstruction[];
  /** All that this collateral brings; prepares the vault for yield, whose accounts may be missing. */
  redeem(reserve: Reserve & YieldAccounts, collateral: bigint): readonly ExpectedInstruction[];
  /** Without a destination to the owner's associated token account, which is created if missing. */
  withdraw(amount: bigint | 'all', destination: string | null): readonly ExpectedInstruction[];
};

export function createExpectations(
  deployment: Deployment,
  addresses: OwnerAddresses,
): Expectations {
  const { owner, ownerUsdcAta } = addresses;
  const instruction = createDescriber(deployment, addresses);
  const initYield = ({ collateralMint, collateralAta }: YieldAccounts) =>
    instruction(
      'init_yield',
      {},
      { collateral_mint: collateralMint, collateral_token_account: collateralAta },
    );

  const yieldWithdraw = (
    amount: bigint,
    reserve: Reserve & YieldAccounts,
    collateral: bigint | null,
  ) =>
    instruction(
      'yield_withdraw',
      { ...NO_SPEND, amount, collateral_amount: collateral },
      reserveAccounts(reserve),
    );

  return {
    initVault: (bp, yieldAccounts) => [
      instruction('init_vault', { max_deployed_fraction_bp: BigInt(bp) }),
      ...(yieldAccounts === null ? [] : [initYield(yieldAccounts)]),
    ],
    setMaxDeployedFraction: (bp, yieldAccounts) => [
      ...(yieldAccounts === null ? [] : [initYield(yieldAccounts)]),
      instruction('set_max_deployed_fraction', { max_deployed_fraction_bp: BigInt(bp) }),
    ],
    yieldDeposit: (amount, reserve) => [
      initYield(reserve),
      instruction('yield_deposit', { ...NO_SPEND, amount }, reserveAccounts(reserve)),
    ],
    yieldWithdraw: (amount, reserve, collateral) => [
      yieldWithdraw(amount === 'all' ? EVERYTHING : amount, reserve, collateral),
    ],
    redeem: (reserve, collateral) => [
      initYield(reserve),
      yieldWithdraw(EVERYTHING, reserve, collateral),
    ],
    addSession: ({ pda, index, pubkey }, limits, recipients) => [
      instruction(
        'add_session',
        { ...limitsArgs(limits), session_pubkey: pubkey, recipients, session_index: index },
        { session: pda },
      ),
    ],
    updateLimits: ({ pda, index }, limits) => [
      instruction(
        'update_session_limits',
        { ...limitsArgs(limits), session_index: index },
        { session: pda },
      ),
    ],
    updateRecipients: ({ pda, index }, recipients) => [
      instruction(
        'update_session_allowlist',
        { recipients, session_index: index },
        { session: pda },
      ),
    ],
    revokeSession: ({ pda, index }) => [
      instruction('revoke_session', { session_index: index }, { session: pda }),
    ],
    setPaused: (paused) => [instruction('set_paused', { paused })],
    withdraw: (amount, destination) => {
      const to = destination ?? ownerUsdcAta;
      const createOwnerAccount = createTokenAccount({
        owner,
        address: ownerUsdcAta,
        mint: deployment.usdcMint,
        tokenProgram: TOKEN_PROGRAM,
      });
      const baseUnits = amount === 'all' ? EVERYTHING : amount;
      const further = { owner_token_account: to };
      return [
        ...(to === ownerUsdcAta ? [createOwnerAccount] : []),
        instruction('owner_withdraw', { amount: baseUnits }, further),
      ];
    },
  };
}

const limitsArgs = (limits: SessionLimits): Readonly<Record<string, ArgValue>> => ({
  max_per_tx: limits.max_per_tx,
  daily_cap: limits.daily_cap,
  expiry: BigInt(limits.expiry),
  allowed_instructions: BigInt(limits.allowed_instructions),
});

/** What the program ignores when the owner, and no session, moves money to the reserve or back. */
const NO_SPEND = { spend_seq: 0n, session_index: 0n, spend_id: '0'.repeat(32) };

const reserveAccounts = (reserve: Reserve & YieldAccounts) => ({
  session: null,
  collateral_token_account: reserve.collateralAta,
  reserve: reserve.reserve,
  lending_market: reserve.lendingMarket,
  lending_market_authority: reserve.lendingMarketAuthority,
  liquidity_supply: reserve.liquiditySupply,
  collateral_mint: reserve.collateralMint,
  reserve_program: reserve.programId,
});
