import type { AccountSnapshot, ProgramEvent } from '@agent-wallet/chain';
import { describe, expect, test } from 'vitest';
import { type BalanceComparison, compareBalance } from './compare-balance.ts';
import type { HistoryEntry } from './read-history.ts';

const VAULT = 'vault';
const ACCOUNT = 'token account';
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const wallet = { walletId: 'wallet', owner: 'owner', vault: VAULT, vaultUsdcAta: ACCOUNT };

type Told = { readonly name: string; readonly data: ProgramEvent['data'] };

/** One transaction that took the vault's account from `before` to `after`. */
function moved(before: bigint, after: bigint, ...told: readonly Told[]): HistoryEntry {
  const events = told.map(({ name, data }, innerIndex): ProgramEvent => ({
    name,
    data: { vault: VAULT, ...data },
    instructionIndex: 0,
    innerIndex,
  }));
  const tokenChanges = [{ account: ACCOUNT, mint: 'USDC', before, after }];
  return { signature: `${before} ${after}`, slot: 1n, events, tokenChanges };
}

function tokenAccount(amount: bigint): AccountSnapshot {
  const data = Buffer.alloc(165);
  data.writeBigUInt64LE(amount, 64);
  return { address: ACCOUNT, owner: TOKEN_PROGRAM, data, lamports: 1n };
}

function compare(balance: bigint, ...history: readonly HistoryEntry[]): Promise<BalanceComparison> {
  const rpc: Parameters<typeof compareBalance>[0] = {
    accounts: () => Promise.resolve({ slot: 9n, accounts: [tokenAccount(balance)] }),
    signaturesFor: () => Promise.resolve([]),
    transaction: () => Promise.reject(new Error('the history is given')),
  };
  return compareBalance(rpc, () => Promise.resolve(history), wallet);
}

const transferred = { name: 'UsdcTransferred', data: { amount: 10n } };
const withdrew = { name: 'OwnerWithdrew', data: { amount: 30n } };
const deposited = { name: 'YieldDeposited', data: { amount: 50n, liquidity_delta: 49n } };
const withdrawn = {
  name: 'YieldWithdrawn',
  data: { amount: 2n ** 64n - 1n, liquidity_delta: 52n },
};

describe('a balance', () => {
  test('is what deposits, spends, withdrawals of the owner and yield leave', async () => {
    expect(
      await compare(
        63n,
        moved(0n, 100n),
        moved(100n, 90n, transferred),
        moved(90n, 60n, withdrew),
        moved(60n, 11n, deposited),
        moved(11n, 63n, withdrawn),
      ),
    ).toEqual({
      kind: 'compared',
      sums: {
        opening: 0n,
        deposits: 100n,
        spent: 10n,
        withdrawn: 30n,
        deployed: 49n,
        returned: 52n,
        balance: 63n,
      },
      difference: null,
    });
  });

  test('may grow by what somebody sent to the account that yield passes through', async () => {
    const comparison = await compare(58n, moved(100n, 58n, deposited));
    expect(comparison).toMatchObject({ sums: { deposits: 7n, deployed: 49n }, difference: null });
  });

  test.each([
    ['more than its event says left for the reserve', moved(100n, 50n, deposited), 1n],
    ['less than its event says came back', moved(0n, 51n, withdrawn), 1n],
    ['more than its event says went to the owner', moved(100n, 60n, withdrew), 10n],
    [
      'money left by an event of another vault',
      moved(100n, 70n, { name: 'OwnerWithdrew', data: { vault: 'other', amount: 30n } }),
      30n,
    ],
  ])('differs when %s', async (_what, entry, missing) => {
    const balance = entry.tokenChanges?.[0]?.after ?? 0n;
    expect(await compare(balance, entry)).toMatchObject({
      difference: `${entry.signature} in slot 1 took ${missing} out of the vault without an event`,
    });
  });
});
