import { SANDBOX_RESERVE } from '@agent-wallet/chain';
import { sql } from 'slonik';
import { beforeEach, describe, expect, it } from 'vitest';
import { NO_INTEREST } from '../fixtures/fake-chain.ts';
import { changeVault, openSession, type Session } from '../fixtures/open-session.ts';
import { newAddress, signIn } from '../fixtures/signed-in-owner.ts';
import { expectRefused, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

const ONE = 1n << 60n;
const read = '/v1/wallet/yield';
const COLLATERAL_ACCOUNT = newAddress();

beforeEach(() => {
  t.chain.isDown = false;
  t.chain.yieldReserve = SANDBOX_RESERVE;
  // A reserve at 1.1 for a unit of collateral.
  t.chain.reserveState = {
    available: 100_000_000n,
    totalScaled: 110_000_000n * ONE,
    collateralSupply: 100_000_000n,
    interest: NO_INTEREST,
  };
});

describe('GET /v1/wallet/yield', () => {
  it('shows the owner what is deployed and earned, like the agent', async () => {
    const s = await openSession(t, 10_000_000n);
    changeVault(t, s, { deployedAmount: 5_000_000n });
    t.chain.collateral.set(t.chain.addressesOf(s.owner.pubkey).vaultPda, 5_000_000n);
    const position = {
      liquid: '10000000',
      deployed: '5000000',
      accrued: '500000',
      total_balance: '15000000',
    };
    expect((await s.owner.call('GET', read)).json()).toMatchObject(position);
    expect((await s.call('/v1/yield/position')).json()).toEqual(position);
  });

  it('keeps the last known principal while the chain is unavailable', async () => {
    const s = await openSession(t, 10_000_000n);
    changeVault(t, s, { deployedAmount: 5_000_000n });
    await s.owner.call('GET', read);
    t.chain.isDown = true;
    expect((await s.owner.call('GET', read)).json()).toMatchObject({
      liquid: null,
      deployed: '5000000',
      accrued: null,
      total_balance: '5000000',
    });
  });

  it('returns 404 before there is a wallet', async () => {
    const owner = await signIn(t);
    expectRefused(await owner.call('GET', read), 404, 'wallet not found');
  });
});

type Movement = readonly [name: string, data: object];

const deposit = (usdc: number, collateral: number): Movement => [
  'YieldDeposited',
  { liquidity_delta: String(usdc), collateral_delta: String(collateral) },
];
const withdrawal = (usdc: number, collateral: number): Movement => [
  'YieldWithdrawn',
  { liquidity_delta: String(usdc), collateral_delta: String(collateral) },
];
const sweep = (amount: number, tokenAccount = COLLATERAL_ACCOUNT): Movement => [
  'TokenAccountSwept',
  { token_account: tokenAccount, amount: String(amount) },
];

/** Puts events of the vault where the confirm-worker would. */
async function record({ owner }: Session, movements: readonly Movement[]): Promise<void> {
  const { vaultPda } = t.chain.addressesOf(owner.pubkey);
  const initialized: Movement = [
    'YieldInitialized',
    { collateral_token_account: COLLATERAL_ACCOUNT },
  ];
  for (const [name, data] of [initialized, ...movements]) {
    await t.db.query(sql.unsafe`
      insert into program_event (signature, instruction_index, inner_index, slot, name, vault, data)
      values (${newAddress()}, 0, 0, 1, ${name}, ${vaultPda}, ${JSON.stringify(data)}::jsonb)
    `);
  }
}

describe('what yield has earned over the life of a wallet', () => {
  it.each<[string, readonly Movement[], string | null]>([
    ['nothing before the first deposit', [], '0'],
    ['interest that is not paid out yet', [deposit(5_000_000, 5_000_000)], '500000'],
    [
      'the same after a part was withdrawn',
      [deposit(5_000_000, 5_000_000), withdrawal(2_200_000, 2_000_000)],
      '500000',
    ],
    [
      'interest of two lives in the reserve',
      [deposit(5_000_000, 5_000_000), withdrawal(5_500_000, 5_000_000), deposit(110, 100)],
      '500000',
    ],
    [
      'a loss that was written off',
      [deposit(5_000_000, 5_000_000), withdrawal(1_000_000, 5_000_000), withdrawal(0, 0)],
      '-4000000',
    ],
    [
      'collateral that somebody gave, once it was redeemed',
      [deposit(5_000_000, 5_000_000), withdrawal(6_600_000, 6_000_000)],
      '1600000',
    ],
    [
      'nothing known after collateral was swept in kind',
      [deposit(5_000_000, 5_000_000), sweep(5_000_000)],
      null,
    ],
    [
      'as before after other tokens were swept, or none',
      [deposit(5_000_000, 5_000_000), sweep(7, newAddress()), sweep(0)],
      '500000',
    ],
  ])('is %s', async (_name, movements, earned) => {
    const s = await openSession(t);
    await record(s, movements);
    expect((await s.owner.call('GET', read)).json()).toMatchObject({ earned });
  });

  it('comes with what the reserve has taken and paid, by this wallet alone', async () => {
    const s = await openSession(t);
    await record(s, [deposit(5_000_000, 5_000_000), withdrawal(2_200_000, 2_000_000)]);
    const other = await openSession(t);
    await record(other, [deposit(1_000_000, 1_000_000)]);
    expect((await s.owner.call('GET', read)).json()).toMatchObject({
      deposited: '5000000',
      withdrawn: '2200000',
    });
  });

  it('is known without the reserve only when nothing is in it', async () => {
    const s = await openSession(t);
    const earned = async () => (await s.owner.call('GET', read)).json<{ earned: unknown }>().earned;
    await record(s, [deposit(5_000_000, 5_000_000)]);
    t.chain.yieldReserve = null;
    expect(await earned()).toBeNull();
    t.chain.isDown = true;
    expect(await earned()).toBeNull();
    await record(s, [withdrawal(5_500_000, 5_000_000)]);
    expect(await earned()).toBe('500000');
  });
});
