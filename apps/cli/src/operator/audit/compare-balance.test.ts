import type { AccountSnapshot, ProgramEvent, VaultState, WalletProgram } from '@agent-wallet/chain';
import { describe, expect, test } from 'vitest';
import { type BalanceComparison, compareBalance } from './compare-balance.ts';
import type { HistoryEntry } from './read-history.ts';

const VAULT = 'vault';
const ACCOUNT = 'token account';
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const wallet = { walletId: 'wallet', owner: 'owner', vaultPda: VAULT, vaultUsdcAta: ACCOUNT };

type EventPart = { readonly name: string; readonly data: ProgramEvent['data'] };

/** One transaction that took the vault's account from `before` to `after`. */
function moved(before: bigint, after: bigint, ...parts: readonly EventPart[]): HistoryEntry {
  const events = parts.map(({ name, data }, innerIndex): ProgramEvent => ({
    name,
    data: { vault: VAULT, ...data },
    instructionIndex: 0,
    innerIndex,
  }));
  const tokenChanges = [{ account: ACCOUNT, mint: 'USDC', before, after }];
  return { signature: `${before} ${after}`, slot: 1n, events, tokenChanges };
}

const vaultAccount: AccountSnapshot = {
  address: VAULT,
  owner: 'the program',
  data: Buffer.alloc(0),
  lamports: 1n,
};

const vaultState = (deployedAmount: bigint): VaultState => ({
  owner: 'owner',
  maxDeployedFractionBp: 5_000,
  deployedAmount,
  paused: false,
  nextSessionIndex: 0n,
  openSessions: 0n,
  vaultTokenAccount: ACCOUNT,
});

function tokenAccount(amount: bigint): AccountSnapshot {
  const data = Buffer.alloc(165);
  data.writeBigUInt64LE(amount, 64);
  return { address: ACCOUNT, owner: TOKEN_PROGRAM, data, lamports: 1n };
}

const compare = (
  balance: bigint,
  ...history: readonly HistoryEntry[]
): Promise<BalanceComparison> => compareAt({ balance, deployed: 0n }, history);

function compareAt(
  { balance, deployed }: { readonly balance: bigint; readonly deployed: bigint },
  history: readonly HistoryEntry[],
): Promise<BalanceComparison> {
  const rpc: Parameters<typeof compareBalance>[0] = {
    accounts: (addresses) => {
      expect(addresses).toEqual([ACCOUNT, VAULT]);
      return Promise.resolve({ slot: 9n, accounts: [tokenAccount(balance), vaultAccount] });
    },
    signaturesFor: () => Promise.resolve([]),
    transaction: () => Promise.reject(new Error('must not be called')),
  };
  const decodeVault: WalletProgram['decodeVault'] = (account) => {
    expect(account).toBe(vaultAccount);
    return vaultState(deployed);
  };
  return compareBalance(rpc, () => Promise.resolve(history), { decodeVault }, wallet);
}

const transferred = { name: 'UsdcTransferred', data: { amount: 10n } };
const withdrew = { name: 'OwnerWithdrew', data: { amount: 30n } };
const deposited = {
  name: 'YieldDeposited',
  data: { amount: 50n, liquidity_delta: 49n, deployed_amount: 49n },
};
const withdrawn = {
  name: 'YieldWithdrawn',
  data: {
    amount: 2n ** 64n - 1n,
    liquidity_delta: 52n,
    collateral_delta: 40n,
    deployed_amount: 0n,
  },
};

describe('a balance', () => {
  test('is the sum of deposits, spends, withdrawals of the owner and yield', async () => {
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
        principal: 0n,
      },
      difference: null,
    });
  });

  test('may grow by a deposit into the account that yield passes through', async () => {
    const comparison = await compareAt({ balance: 58n, deployed: 49n }, [
      moved(100n, 58n, deposited),
    ]);
    expect(comparison).toMatchObject({
      sums: { deposits: 7n, deployed: 49n, principal: 49n },
      difference: null,
    });
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

const yielded = (name: string, delta: bigint, deployed: bigint, vault = VAULT): EventPart => ({
  name,
  data: { vault, amount: delta, liquidity_delta: delta, deployed_amount: deployed },
});
const put = (delta: bigint, deployed: bigint, vault = VAULT): EventPart =>
  yielded('YieldDeposited', delta, deployed, vault);
const took = (delta: bigint, deployed: bigint): EventPart =>
  yielded('YieldWithdrawn', delta, deployed);

/** The owner's withdrawal of everything, by a number of units of collateral. */
const named = ({ delta = 0n, left }: { delta?: bigint; left: bigint }): EventPart => ({
  name: 'YieldWithdrawn',
  data: {
    vault: VAULT,
    session: null,
    amount: 2n ** 64n - 1n,
    liquidity_delta: delta,
    collateral_delta: delta,
    deployed_amount: left,
  },
});
const deltaOf = ({ data }: EventPart): bigint => BigInt(String(data['liquidity_delta']));
const swept = (left: bigint): EventPart => ({
  name: 'TokenAccountSwept',
  data: { vault: VAULT, amount: 9n, deployed_amount: left },
});

/** A withdrawal of all 30 deployed base units. */
const tookAll = (delta: bigint, deployed: bigint): EventPart => {
  const { name, data } = took(delta, deployed);
  return { name, data: { ...data, amount: 30n } };
};

/** A deposit of 30 and a full withdrawal that returns `back`. */
const thereAndBack = (back: bigint, left: bigint): readonly HistoryEntry[] => [
  moved(50n, 20n, put(30n, 30n)),
  moved(20n, 20n + back, tookAll(back, left)),
];

describe('the deployed principal', () => {
  test('is the sum of deposits and withdrawals in the order of the chain, never below 0', async () => {
    const comparison = await compareAt({ balance: 44n, deployed: 8n }, [
      moved(0n, 50n),
      moved(50n, 20n, put(20n, 20n), put(10n, 30n)),
      moved(20n, 24n, took(4n, 26n)),
      moved(24n, 52n, took(28n, 0n)),
      moved(52n, 44n, put(8n, 8n), put(7n, 7n, 'other')),
    ]);
    expect(comparison).toMatchObject({ sums: { principal: 8n }, difference: null });
  });

  test('drops the rounding remainder with the last collateral, and nothing more', async () => {
    for (const [back, left] of [
      [29n, 0n],
      [28n, 2n],
    ] as const) {
      const story = { balance: 20n + back, deployed: left };
      expect(await compareAt(story, thereAndBack(back, left))).toMatchObject({ difference: null });
    }
    expect(await compareAt({ balance: 48n, deployed: 0n }, thereAndBack(28n, 0n))).toMatchObject({
      difference: expect.stringContaining('leaves 0 deployed, with those before it that is 2'),
    });
  });

  test.each<[string, bigint, EventPart]>([
    ['0 after a loss that the owner wrote off', 0n, named({ left: 0n })],
    ['1 when the owner has redeemed all but some collateral', 1n, named({ delta: 29n, left: 1n })],
    ['0 when the owner has redeemed the last', 0n, named({ delta: 29n, left: 0n })],
    ['what the owner has left with the collateral named', 5n, named({ delta: 25n, left: 5n })],
    ['0 when the owner has swept the collateral', 0n, swept(0n)],
    ['the same when the owner has swept something else', 30n, swept(30n)],
  ])('may be %s', async (_what, deployed, event) => {
    const balance = 20n + (event.name === 'YieldWithdrawn' ? deltaOf(event) : 0n);
    const history = [moved(50n, 20n, put(30n, 30n)), moved(20n, balance, event)];
    expect(await compareAt({ balance, deployed }, history)).toMatchObject({ difference: null });
  });

  test.each<[string, EventPart, bigint]>([
    ['is less than a swept account can leave', swept(29n), 30n],
    ['is written off with collateral redeemed', named({ delta: 20n, left: 0n }), 10n],
    ['is not written off by the event that says so', named({ left: 30n }), 0n],
  ])('differs when it %s', async (_what, event, usual) => {
    const left = event.data['deployed_amount'];
    const balance = 20n + (event.name === 'YieldWithdrawn' ? deltaOf(event) : 0n);
    const history = [moved(50n, 20n, put(30n, 30n)), moved(20n, balance, event)];
    const difference = `leaves ${String(left)} deployed, with those before it that is ${usual}`;
    expect(await compareAt({ balance, deployed: 0n }, history)).toMatchObject({
      difference: expect.stringContaining(difference),
    });
  });

  test.each<[string, bigint, readonly HistoryEntry[], string]>([
    [
      'of the vault is more than its events say',
      31n,
      [moved(50n, 20n, put(30n, 30n))],
      'the vault has 31 deployed, its yield events say 30',
    ],
    [
      'of the vault is less',
      0n,
      [moved(50n, 20n, put(30n, 30n))],
      'the vault has 0 deployed, its yield events say 30',
    ],
    [
      'is there without an event',
      5n,
      [moved(50n, 60n)],
      'the vault has 5 deployed, its yield events say 0',
    ],
    [
      'is said otherwise by a deposit, though the last event and the vault agree',
      20n,
      [moved(50n, 20n, put(30n, 29n)), moved(20n, 29n, took(9n, 20n))],
      'event YieldDeposited of 50 20 0.0 in slot 1 leaves 29 deployed, with those before it that is 30',
    ],
    [
      'fell by less than came back',
      22n,
      [moved(50n, 20n, put(30n, 30n)), moved(20n, 30n, took(10n, 22n))],
      'event YieldWithdrawn of 20 30 0.0 in slot 1 leaves 22 deployed, with those before it that is 20',
    ],
    [
      'is left over although more came back',
      1n,
      [moved(50n, 20n, put(30n, 30n)), moved(20n, 52n, took(32n, 1n))],
      'event YieldWithdrawn of 20 52 0.0 in slot 1 leaves 1 deployed, with those before it that is 0',
    ],
    [
      'is said otherwise by the second event of a transaction',
      31n,
      [moved(50n, 20n, put(20n, 20n), put(10n, 31n))],
      'event YieldDeposited of 50 20 0.1 in slot 1 leaves 31 deployed, with those before it that is 30',
    ],
  ])('differs when it %s', async (_what, deployed, history, difference) => {
    const balance = history.at(-1)?.tokenChanges?.[0]?.after ?? 0n;
    expect(await compareAt({ balance, deployed }, history)).toMatchObject({ difference });
  });
});
