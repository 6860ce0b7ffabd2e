import { describe, expect, test } from 'vitest';

import type { HeldTokenAccount, Holdings } from './holdings.ts';
import { planLeaving, type FailedStep, type LeavePlan } from './plan-leaving.ts';

type Change = Partial<Omit<Holdings, 'vault'>> & { readonly vault?: Partial<Holdings['vault']> };

/** A vault of version 2 that is empty and has no sessions, with a change. */
function holdingsWith({ vault, ...change }: Change = {}): Holdings {
  return {
    vault: {
      owner: 'owner',
      maxDeployedFractionBp: 0,
      deployedAmount: 0n,
      paused: false,
      nextSessionIndex: 65_536n,
      openSessions: 0n,
      vaultTokenAccount: 'vault token account',
      ...vault,
    },
    sessions: [],
    liquid: 0n,
    tokenAccounts: [],
    payableCollateral: 0n,
    spareLamports: 0n,
    yieldLamports: 0n,
    ...change,
  };
}

const sessionsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    sessionPda: `session ${index}`,
    sessionIndex: BigInt(index),
  }));

const tokenAccount = (change: Partial<HeldTokenAccount> = {}): HeldTokenAccount => ({
  address: 'donated',
  authority: 'vault',
  role: 'other',
  mint: 'mint',
  tokenProgram: 'token program',
  amount: 1n,
  isClosable: true,
  ...change,
});
const transit = tokenAccount({ address: 'transit', authority: 'yield', role: 'transit' });
const collateral = (amount: bigint): HeldTokenAccount =>
  tokenAccount({ address: 'collateral', authority: 'yield', role: 'collateral', amount });

/** The steps in short: what they do, and to what. */
const stepsOf = ({ steps }: LeavePlan): readonly string[] =>
  steps.map((step) => {
    switch (step.kind) {
      case 'revoke':
        return `revoke ${step.sessions.length}`;
      case 'redeem':
        return `redeem ${step.collateral}`;
      case 'sweep':
        return `${step.close ? 'close' : 'empty'} ${step.account.address}`;
      default:
        return step.kind;
    }
  });
const remaindersOf = ({ remainders }: LeavePlan): readonly string[] =>
  remainders.map(({ kind }) => kind);

const plan = (
  change: Change,
  { inKind = false, failed = [] as readonly FailedStep[] } = {},
): LeavePlan => planLeaving(holdingsWith(change), { inKind, failed });

const refused = (step: FailedStep['step']): { readonly failed: readonly FailedStep[] } => ({
  failed: [{ step, reason: 'refused' }],
});

describe('the plan of leaving', () => {
  test('ends the sessions, then moves the money, then closes the accounts', () => {
    const whole = plan({
      vault: { openSessions: 2n, deployedAmount: 5n },
      sessions: sessionsOf(2),
      liquid: 7n,
      tokenAccounts: [transit, collateral(5n), tokenAccount()],
      payableCollateral: 5n,
      spareLamports: 1n,
    });
    expect(stepsOf(whole)).toEqual([
      'pause',
      'revoke 2',
      'redeem 5',
      'withdraw',
      'close transit',
      'close collateral',
      'close donated',
      'close',
    ]);
    expect(whole.remainders).toEqual([]);
  });

  test.each<[string, Change, readonly string[]]>([
    ['closes an empty vault at once', {}, ['close']],
    ['withdraws in the transaction that closes', { liquid: 1n, spareLamports: 1n }, ['close']],
    [
      'pauses no vault twice',
      { vault: { paused: true, openSessions: 1n }, sessions: sessionsOf(1) },
      ['revoke 1', 'close'],
    ],
    [
      'revokes ten sessions at a time',
      { vault: { openSessions: 21n }, sessions: sessionsOf(21) },
      ['pause', 'revoke 10', 'revoke 10', 'revoke 1', 'close'],
    ],
    [
      'migrates an older vault before it revokes',
      { vault: { openSessions: null, nextSessionIndex: 2n }, sessions: sessionsOf(2) },
      ['pause', 'migrate', 'revoke 2', 'close'],
    ],
    [
      'closes an older vault that never had a session',
      { vault: { openSessions: null, nextSessionIndex: 0n } },
      ['close'],
    ],
    [
      'writes off a loss with the empty collateral account',
      { vault: { deployedAmount: 9n }, tokenAccounts: [collateral(0n)] },
      ['close collateral', 'close'],
    ],
    [
      'leaves an empty account that only its sender can close',
      { tokenAccounts: [tokenAccount({ amount: 0n, isClosable: false })] },
      ['close'],
    ],
    [
      'empties an account that only its sender can close',
      { tokenAccounts: [tokenAccount({ isClosable: false })] },
      ['empty donated', 'close'],
    ],
  ])('%s', (_name, change, steps) => {
    const planned = plan(change);
    expect(stepsOf(planned)).toEqual(steps);
    expect(planned.remainders).toEqual([]);
  });

  const deployed = { tokenAccounts: [transit, collateral(5n)], liquid: 1n, yieldLamports: 1n };
  test.each<[string, bigint | null, readonly string[], boolean]>([
    ['redeems as much as the reserve can pay for', 3n, ['redeem 3', 'withdraw'], true],
    ['redeems nothing from a reserve that has nothing', 0n, ['withdraw'], true],
    ['redeems nothing without a reserve', null, ['withdraw'], false],
  ])('%s, and keeps the accounts for the rest', (_name, payableCollateral, steps, hasReserve) => {
    const planned = plan({ ...deployed, payableCollateral });
    expect(stepsOf(planned)).toEqual([...steps, 'sweep_lamports']);
    const units = 5n - (payableCollateral ?? 0n);
    expect(planned.remainders).toEqual([{ kind: 'collateral', units, hasReserve }]);
  });

  test.each([5n, null])('takes collateral in kind, also when %s could be redeemed', (payable) => {
    const planned = plan({ ...deployed, payableCollateral: payable }, { inKind: true });
    expect(stepsOf(planned)).toEqual(['withdraw', 'close transit', 'close collateral', 'close']);
    expect(planned.remainders).toEqual([]);
  });

  test.each<[string, Change]>([
    ['counts sessions that nobody lists', { vault: { openSessions: 3n, paused: true } }],
    [
      'has the older layout and a revoked session',
      { vault: { openSessions: null, nextSessionIndex: 3n, paused: true } },
    ],
  ])('empties and keeps a vault that %s', (_name, change) => {
    const planned = plan({ ...change, sessions: sessionsOf(1), liquid: 1n, spareLamports: 1n });
    expect(stepsOf(planned)).toEqual(['revoke 1', 'withdraw', 'sweep_lamports']);
    expect(planned.remainders).toMatchObject([{ kind: 'sessions', count: 2n }]);
  });

  test('empties an account that cannot be closed, and closes without one that cannot be moved', () => {
    const account = tokenAccount();
    const closing = { kind: 'sweep', account, close: true } as const;
    const once = plan({ tokenAccounts: [account] }, refused(closing));
    expect(stepsOf(once)).toEqual(['empty donated', 'close']);
    const failed = [closing, { ...closing, close: false }].map((step) => ({ step, reason: '' }));
    const twice = plan({ tokenAccounts: [account] }, { failed });
    expect(stepsOf(twice)).toEqual(['close']);
    expect(remaindersOf(twice)).toEqual(['token_account', 'failed', 'failed']);
  });

  test('goes on with the money when the reserve refuses', () => {
    const planned = plan(
      { ...deployed, payableCollateral: 5n },
      refused({ kind: 'redeem', collateral: 4n }),
    );
    expect(stepsOf(planned)).toEqual(['withdraw', 'sweep_lamports']);
    expect(remaindersOf(planned)).toEqual(['collateral', 'failed']);
  });

  test('takes the money out of a vault that cannot be closed', () => {
    const planned = plan({ liquid: 1n, spareLamports: 1n }, refused({ kind: 'close' }));
    expect(stepsOf(planned)).toEqual(['withdraw', 'sweep_lamports']);
    expect(remaindersOf(planned)).toEqual(['failed']);
  });

  test('does not close a vault whose USDC, session or yield account was refused', () => {
    const account = collateral(0n);
    for (const step of [
      { kind: 'withdraw' } as const,
      { kind: 'sweep', account, close: true } as const,
    ]) {
      expect(stepsOf(plan({ tokenAccounts: [account] }, refused(step)))).not.toContain('close');
    }
    const sessions = sessionsOf(1);
    const open = { vault: { openSessions: 1n, paused: true }, sessions };
    expect(stepsOf(plan(open, refused({ kind: 'revoke', sessions })))).toEqual([]);
  });
});
