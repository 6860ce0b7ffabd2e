import {
  type Account,
  discriminator,
  newTokens,
  type Reserve,
  rentOf,
  TOKENS_RENT,
} from './account.ts';
import { type Model, OUTSIDE } from '../model/scene.ts';
import type { Random } from '../draw/random.ts';
import type { Id, Universe } from './universe.ts';

/** Settings that differ between worlds. */
export type WorldSettings = {
  readonly now: bigint;
  /** Base units of each outside payer; also the scale of all drawn amounts. */
  readonly money: bigint;
  readonly depositLimit: bigint;
  /** Number of wallets in use. */
  readonly wallets: number;
};

const PERSON_LAMPORTS = 10_000_000_000_000n;
const NOON = 1_800_014_400n;

export function drawWorld(random: Random): WorldSettings {
  const money = random.pick([100n, 10_000n, 1_000_000_000n, 1_000_000_000n, 2n ** 62n]);
  const start = random.pick([NOON, NOON, NOON - 1n, NOON + 1_800n, 0n, 86_399n, 4_102_444_800n]);
  return {
    now: start,
    money,
    depositLimit: random.pick([2n ** 64n - 1n, 2n ** 64n - 1n, money * 3n, money / 2n]),
    wallets: random.pick([1, 2, 2, 3]),
  };
}

/** People, mints, the reserve with its first unit, and token accounts of most payees. */
export function createModel(settings: WorldSettings, universe: Universe): Model {
  const { fixed, names } = universe;
  const accounts = new Map<Id, Account>();
  const tokens = (id: Id, wallet: Id, mint: Id, amount: bigint): void => {
    accounts.set(id, tokenAccount(universe, wallet, mint, amount));
  };
  const outside = [
    fixed.system,
    fixed.program,
    fixed.tokenProgram,
    fixed.associatedTokenProgram,
    fixed.instructionsSysvar,
    fixed.clockSysvar,
    fixed.reserveProgram,
  ];
  for (const id of outside) {
    const data = { kind: 'bytes', beginsLike: null, bytes: new Uint8Array() } as const;
    accounts.set(id, { lamports: 1n, owner: OUTSIDE, data });
  }
  for (const id of universe.people) {
    accounts.set(id, { lamports: PERSON_LAMPORTS, owner: fixed.system, data: { kind: 'empty' } });
  }
  for (const [mint, authority, supply] of [
    [fixed.usdc, null, 0n],
    [fixed.otherMint, null, 0n],
    [fixed.collateralMint, fixed.marketAuthority, 1n],
  ] as const) {
    const data = { kind: 'mint', supply, authority } as const;
    accounts.set(mint, { lamports: rentOf(82), owner: fixed.tokenProgram, data });
  }
  const market = { kind: 'bytes', beginsLike: null, bytes: marketBytes(universe) } as const;
  accounts.set(fixed.market, { lamports: rentOf(56), owner: fixed.reserveProgram, data: market });
  const reserve = newReserve(settings, universe);
  accounts.set(fixed.reserve, {
    lamports: rentOf(8_624),
    owner: fixed.reserveProgram,
    data: reserve,
  });
  tokens(fixed.reserveSupply, fixed.marketAuthority, fixed.usdc, 1n);
  tokens(fixed.reserveCollateral, fixed.marketAuthority, fixed.collateralMint, 1n);
  for (const wallet of [...universe.recipients, universe.admin]) {
    const id = universe.tokensOf(wallet, fixed.usdc);
    const isPerson = universe.people.includes(wallet);
    // One payee starts without a token account.
    if (id === undefined || !isPerson || names[wallet] === 'payee9') continue;
    tokens(id, wallet, fixed.usdc, wallet === universe.admin ? settings.money : 0n);
    const other = universe.tokensOf(wallet, fixed.otherMint);
    if (other !== undefined) tokens(other, wallet, fixed.otherMint, 5n);
  }
  for (const { owner, ownerSpare } of universe.wallets) tokens(ownerSpare, owner, fixed.usdc, 0n);
  return { accounts, now: settings.now, slot: 1n };
}

export function tokenAccount({ fixed }: Universe, wallet: Id, mint: Id, amount: bigint): Account {
  const data = newTokens(wallet, mint, amount);
  return { lamports: TOKENS_RENT, owner: fixed.tokenProgram, data };
}

/** The reserve after the sandbox's `init_reserve`: one unit, which is never withdrawn. */
function newReserve(settings: WorldSettings, { addresses, fixed }: Universe): Reserve {
  const base = Buffer.alloc(8_624);
  base.set(discriminator('Reserve'));
  base.writeBigUInt64LE(1n, 8);
  base.set(addresses[fixed.market] ?? [], 32);
  base.set(addresses[fixed.usdc] ?? [], 128);
  base.set(addresses[fixed.reserveSupply] ?? [], 160);
  base.writeBigUInt64LE(6n, 272);
  base.set(addresses[fixed.tokenProgram] ?? [], 408);
  base.set(addresses[fixed.collateralMint] ?? [], 2_560);
  base.set(addresses[fixed.reserveCollateral] ?? [], 2_600);
  return {
    kind: 'reserve',
    slot: 0n,
    stale: true,
    available: 1n,
    borrowed: 0n,
    collateral: 1n,
    depositLimit: settings.depositLimit,
    base,
  };
}

function marketBytes({ addresses, admin }: Universe): Buffer {
  const bytes = Buffer.alloc(56);
  bytes.set(discriminator('LendingMarket'));
  bytes.writeUInt8(1, 8);
  bytes.set(addresses[admin] ?? [], 24);
  return bytes;
}
