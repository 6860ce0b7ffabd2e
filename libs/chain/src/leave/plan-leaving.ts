/**
 * The steps that take an owner out of a vault. The first steps stop the sessions, the next ones take
 * out the money, and the last ones close the accounts. The plan depends only on the state of the
 * chain and on the refused steps. An owner can therefore stop anywhere: the next plan continues.
 */

import type { NamedSession } from '../build/instructions.ts';
import { collateralOf, countedSessions, type HeldTokenAccount, type Holdings } from './holdings.ts';

/** One transaction of the owner. */
export type LeaveStep =
  | { readonly kind: 'pause' | 'migrate' | 'withdraw' | 'sweep_lamports' }
  | { readonly kind: 'revoke'; readonly sessions: readonly NamedSession[] }
  | { readonly kind: 'redeem'; readonly collateral: bigint }
  | { readonly kind: 'sweep'; readonly account: HeldTokenAccount; readonly close: boolean }
  /** Also withdraws and sweeps what is there by then, so that a donation does not delay it. */
  | { readonly kind: 'close' };

/** A step that the chain refused, and why. */
export type FailedStep = { readonly step: LeaveStep; readonly reason: string };

/** Something that stays after all steps. */
export type Remainder =
  | { readonly kind: 'collateral'; readonly units: bigint; readonly hasReserve: boolean }
  /** The vault counts sessions that the node does not list. */
  | { readonly kind: 'sessions'; readonly count: bigint; readonly isCounted: boolean }
  | { readonly kind: 'token_account'; readonly account: HeldTokenAccount }
  | ({ readonly kind: 'failed' } & FailedStep);

export type LeaveOptions = {
  /** Moves the collateral itself to the owner and does not call the reserve. */
  readonly inKind: boolean;
  /** Steps that were refused before; they are not planned again. */
  readonly failed: readonly FailedStep[];
};

export type LeavePlan = {
  readonly steps: readonly LeaveStep[];
  readonly remainders: readonly Remainder[];
};

/** So many revocations fit into a transaction of 1 232 bytes. */
const SESSIONS_PER_STEP = 10;

/** Plans all steps as if each of them succeeded. */
export function planLeaving(holdings: Holdings, { inKind, failed }: LeaveOptions): LeavePlan {
  const isRefused = (step: LeaveStep): boolean =>
    failed.some((one) => keyOf(one.step) === keyOf(step));
  const sessions = planSessions(holdings);
  const redemption = inKind ? [] : planRedemption(holdings);
  const stuck = inKind
    ? 0n
    : unredeemed(
        holdings,
        redemption.filter((step) => !isRefused(step)),
      );
  const sweeps = holdings.tokenAccounts
    .filter(({ role }) => role === 'other' || stuck === 0n)
    .map((account) => ({ account, step: planSweep(account, isRefused) }));
  const uncounted = countedSessions(holdings.vault) - BigInt(holdings.sessions.length);
  const canClose =
    uncounted <= 0n &&
    stuck === 0n &&
    sweeps.every(({ account, step }) => account.role === 'other' || step !== null) &&
    ![...sessions, WITHDRAW, CLOSE].some(isRefused);

  const before = [...sessions, ...redemption];
  const after = sweeps.flatMap(({ step }) => step ?? []);
  const pays = holdings.liquid > 0n || redemption.length > 0;
  // The last step withdraws as well.
  const isLast = canClose && before.length + after.length === 0;
  const all = [
    ...before,
    ...(pays && !isLast ? [WITHDRAW] : []),
    ...after,
    ...planEnd(holdings, canClose),
  ];
  return {
    steps: all.filter((step) => !isRefused(step)),
    remainders: [
      ...(uncounted > 0n ? [sessionsLeft(holdings, uncounted)] : []),
      ...(stuck > 0n ? [collateralLeft(holdings, stuck)] : []),
      ...sweeps
        .filter(({ account, step }) => step === null && account.amount > 0n)
        .map(({ account }): Remainder => ({ kind: 'token_account', account })),
      ...failed.map((one): Remainder => ({ kind: 'failed', ...one })),
    ],
  };
}

const WITHDRAW: LeaveStep = { kind: 'withdraw' };
const SWEEP_LAMPORTS: LeaveStep = { kind: 'sweep_lamports' };
const CLOSE: LeaveStep = { kind: 'close' };

function planEnd(
  { spareLamports, yieldLamports }: Holdings,
  canClose: boolean,
): readonly LeaveStep[] {
  if (canClose) return [CLOSE];
  return spareLamports + yieldLamports > 0n ? [SWEEP_LAMPORTS] : [];
}

/** What makes a step the same as one that was refused before. */
function keyOf(step: LeaveStep): string {
  switch (step.kind) {
    case 'revoke':
      return ['revoke', ...step.sessions.map(({ sessionPda }) => sessionPda)].join(' ');
    case 'sweep':
      return `sweep ${step.account.address} ${step.close}`;
    default:
      return step.kind;
  }
}

/**
 * A vault of version 1 is migrated before its sessions are revoked: from then on it counts them
 * down. After a revocation it could count no more than that some were created.
 */
function planSessions({ vault, sessions }: Holdings): readonly LeaveStep[] {
  const counted = countedSessions(vault);
  if (counted === 0n && sessions.length === 0) return [];
  const countsAll = counted === BigInt(sessions.length);
  const batches = Math.ceil(sessions.length / SESSIONS_PER_STEP);
  return [
    ...(vault.paused ? [] : [{ kind: 'pause' } as const]),
    ...(vault.openSessions === null && countsAll ? [{ kind: 'migrate' } as const] : []),
    ...Array.from({ length: batches }, (_, batch) => ({
      kind: 'revoke' as const,
      sessions: sessions.slice(batch * SESSIONS_PER_STEP, (batch + 1) * SESSIONS_PER_STEP),
    })),
  ];
}

function planRedemption(holdings: Holdings): readonly LeaveStep[] {
  const collateral = collateralOf(holdings);
  const payable = holdings.payableCollateral ?? 0n;
  const redeemed = payable < collateral ? payable : collateral;
  return redeemed > 0n ? [{ kind: 'redeem', collateral: redeemed }] : [];
}

function unredeemed(holdings: Holdings, redemption: readonly LeaveStep[]): bigint {
  const [step] = redemption;
  return collateralOf(holdings) - (step?.kind === 'redeem' ? step.collateral : 0n);
}

/** Closing comes first; a token account that cannot be closed is at least emptied. */
function planSweep(
  account: HeldTokenAccount,
  isRefused: (step: LeaveStep) => boolean,
): LeaveStep | null {
  const closing: LeaveStep = { kind: 'sweep', account, close: true };
  if (account.isClosable && !isRefused(closing)) return closing;
  const emptying: LeaveStep = { kind: 'sweep', account, close: false };
  return account.amount > 0n && !isRefused(emptying) ? emptying : null;
}

const sessionsLeft = ({ vault }: Holdings, count: bigint): Remainder => ({
  kind: 'sessions',
  count,
  isCounted: vault.openSessions !== null,
});

const collateralLeft = ({ payableCollateral }: Holdings, units: bigint): Remainder => ({
  kind: 'collateral',
  units,
  hasReserve: payableCollateral !== null,
});
