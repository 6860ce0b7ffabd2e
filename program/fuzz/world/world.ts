import {
  type Account,
  discriminator,
  encodeAccountData,
  newTokens,
  type Reserve,
  rentOf,
  vaultRent,
} from './account.ts';
import { type Model, OUTSIDE } from '../model/scene.ts';
import type { Random } from '../draw/random.ts';
import type { Id, Universe, WalletIds } from './universe.ts';

/** Settings that differ between worlds. */
export type WorldSettings = {
  readonly now: bigint;
  /** Base units of each outside payer; also the scale of all drawn amounts. */
  readonly money: bigint;
  readonly depositLimit: bigint;
  /** Collateral of a stranger, who may give it away. */
  readonly strangersCollateral: bigint;
  /** Number of wallets in use. */
  readonly wallets: number;
  /** Sessions that vaults of the first layout had created and revoked; null without such vaults. */
  readonly firstLayout: bigint | null;
};

const PERSON_LAMPORTS = 10_000_000_000_000n;
const NOON = 1_800_014_400n;
/** Of every vault of the first layout. */
export const FIRST_FRACTION_BP = 10_000;

export function drawWorld(random: Random): WorldSettings {
  const money = random.pick([100n, 10_000n, 1_000_000_000n, 1_000_000_000n, 2n ** 62n]);
  const start = random.pick([NOON, NOON, NOON - 1n, NOON + 1_800n, 0n, 86_399n, 4_102_444_800n]);
  return {
    now: start,
    money,
    depositLimit: random.pick([2n ** 64n - 1n, 2n ** 64n - 1n, money * 3n, money / 2n]),
    strangersCollateral: random.pick([0n, 1n, money / 100n, money / 100n, money / 3n]),
    wallets: random.pick([1, 2, 2, 3]),
    firstLayout: random.pick([null, null, 0n, 0n, 3n]),
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
    fixed.token2022,
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
    [fixed.newMint, null, 0n],
    [fixed.nativeMint, null, 0n],
    [fixed.collateralMint, fixed.marketAuthority, 1n + settings.strangersCollateral],
  ] as const) {
    const data = { kind: 'mint', supply, authority } as const;
    accounts.set(mint, { lamports: rentOf(82), owner: tokenProgramOf(universe, mint), data });
  }
  const market = { kind: 'bytes', beginsLike: null, bytes: marketBytes(universe) } as const;
  accounts.set(fixed.market, { lamports: rentOf(56), owner: fixed.reserveProgram, data: market });
  const reserve = newReserve(settings, universe);
  accounts.set(fixed.reserve, {
    lamports: rentOf(8_624),
    owner: fixed.reserveProgram,
    data: reserve,
  });
  tokens(fixed.reserveSupply, fixed.marketAuthority, fixed.usdc, 1n + settings.strangersCollateral);
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
  const { admin } = universe;
  tokens(
    universe.tokensOf(admin, fixed.collateralMint) ?? admin,
    admin,
    fixed.collateralMint,
    settings.strangersCollateral,
  );
  for (const { owner, ownerSpare } of universe.wallets) {
    tokens(ownerSpare, owner, fixed.usdc, 0n);
    for (const mint of universe.strayMints) {
      tokens(universe.tokensOf(owner, mint) ?? owner, owner, mint, 0n);
    }
  }
  if (settings.firstLayout !== null) {
    for (const wallet of universe.wallets.slice(0, settings.wallets)) {
      accounts.set(wallet.vault, firstVault(wallet, settings.firstLayout, universe));
      tokens(wallet.vaultTokens, wallet.vault, fixed.usdc, 0n);
    }
  }
  return { accounts, now: settings.now, slot: 1n };
}

/** A token account; the associated ones of Token-2022 have an extension. */
export function tokenAccount(
  universe: Universe,
  wallet: Id,
  mint: Id,
  amount: bigint,
  isAssociated = true,
): Account {
  const { newMint, nativeMint } = universe.fixed;
  const kind = { extended: isAssociated && mint === newMint, native: mint === nativeMint };
  const data = { ...newTokens(wallet, mint, amount), ...kind };
  const lamports = rentOf(encodeAccountData(data, universe).length);
  return { lamports, owner: tokenProgramOf(universe, mint), data };
}

function tokenProgramOf({ fixed }: Universe, mint: Id): Id {
  return mint === fixed.newMint ? fixed.token2022 : fixed.tokenProgram;
}

/** A vault as the first version of the program left it. */
function firstVault(
  { owner, vaultBump, vaultTokens }: WalletIds,
  nextSessionIndex: bigint,
  { fixed }: Universe,
): Account {
  const data = {
    kind: 'vault',
    version: 1,
    bump: vaultBump,
    maxDeployedFractionBp: FIRST_FRACTION_BP,
    paused: false,
    yieldBump: 0,
    deployed: 0n,
    nextSessionIndex,
    owner,
    vaultTokens,
    openSessions: 0n,
  } as const;
  return { lamports: vaultRent(1), owner: fixed.program, data };
}

/** The reserve after the sandbox's `init_reserve` and a stranger's deposit. */
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
    available: 1n + settings.strangersCollateral,
    borrowed: 0n,
    collateral: 1n + settings.strangersCollateral,
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
