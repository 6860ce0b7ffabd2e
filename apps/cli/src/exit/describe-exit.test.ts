import type { Holdings } from '@agent-wallet/chain';
import { expect, test } from 'vitest';
import { holdingLines, remainderText, solOf } from './describe-exit.ts';

const HOLDINGS: Holdings = {
  vault: {
    owner: 'owner',
    maxDeployedFractionBp: 0,
    deployedAmount: 1n,
    paused: true,
    nextSessionIndex: 3n,
    openSessions: null,
    vaultTokenAccount: 'token account',
  },
  sessions: [{ sessionPda: 'session', sessionIndex: 2n }],
  liquid: 12_500_000n,
  tokenAccounts: [],
  payableCollateral: null,
  spareLamports: 1n,
  yieldLamports: 2n,
};

test('what was found is listed, in whole units', () => {
  expect(holdingLines('vault address', HOLDINGS)).toEqual([
    'owner           owner',
    'vault           vault address, layout 1, paused',
    'sessions        1 open, the vault counts 3',
    'in the vault    12.5 USDC',
    'in the reserve  0.000001 USDC deployed, 0 units of collateral, and no reserve that can be read',
    'SOL to sweep    0.000000003 SOL',
  ]);
});

test.each([
  [0n, '0 SOL'],
  [1n, '0.000000001 SOL'],
  [2_039_280n, '0.00203928 SOL'],
  [10_000_000_000n, '10 SOL'],
  [18_446_744_073_709_551_615n, '18446744073.709551615 SOL'],
])('%s lamports are %s', (lamports, text) => {
  expect(solOf(lamports)).toBe(text);
});

test.each([true, false])(
  'collateral that stays has a way out, with a reserve: %s',
  (hasReserve) => {
    const text = remainderText({ kind: 'collateral', units: 7n, hasReserve });
    expect(text).toContain('7 units of collateral');
    expect(text).toContain('--collateral-in-kind');
  },
);
