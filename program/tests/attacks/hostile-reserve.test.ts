import {
  AuthorityType,
  createApproveInstruction,
  createBurnInstruction,
  createCloseAccountInstruction,
  createFreezeAccountInstruction,
  createMintToInstruction,
  createSetAuthorityInstruction,
  createTransferInstruction,
} from '@solana/spl-token';
import { type PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { attempt, type Call, run, toInstruction } from '../support/call.ts';
import {
  byOwner,
  ownerWithdraw,
  redeemByOwner,
  setMaxDeployedFraction,
  sweepTokenAccount,
  transferUsdc,
  yieldDeposit,
  yieldWithdraw,
} from '../support/calls.ts';
import { editData, type Outcome, setTokenAccount, U64_MAX } from '../support/chain.ts';
import { expectError } from '../support/expect.ts';
import { upgradeReserve } from '../support/hostile.ts';
import { RESERVE_PROGRAM_ID, reserveAccounts } from '../support/reserve.ts';
import { VAULT_BALANCE, type World, worldWithReserve } from '../support/world.ts';
import { balances } from '../support/yield-world.ts';

const {
  lending_market_authority: AUTHORITY,
  reserve_liquidity_supply: SUPPLY,
  reserve_collateral_mint: MINT,
} = reserveAccounts;
/** Deployed before the reserve turns hostile, for the same number of collateral units. */
const DEPLOYED = 500n;
/** In the transit account when the reserve is called; not from the vault. */
const DONATED = 77n;

type Calls = (world: World) => TransactionInstruction[];
type Thefts = Readonly<Record<string, Calls>>;
/** What the reserve does, the error of the wallet, the account that the error names. */
type Theft = readonly [name: string, calls: Calls, error: string, account?: string];

const freezing: Theft = [
  'freezes the collateral account',
  (w) => [createFreezeAccountInstruction(w.collateral, MINT, AUTHORITY)],
  'TokenAccountFrozen',
  'collateral_token_account',
];

/** What a reserve tries with accounts that it was not handed or may not write. */
const outOfReach: Thefts = {
  "takes from the vault's liquid account": (w) => [
    createTransferInstruction(w.vaultTokenAccount, SUPPLY, w.yieldAuthority, 1n),
  ],
  "takes from the vault's liquid account in the name of the vault": (w) => [
    createTransferInstruction(w.vaultTokenAccount, SUPPLY, w.vault, 1n),
  ],
  'takes lamports of the yield authority': (w) => [lamports(w.yieldAuthority)],
  'takes lamports of the owner': (w) => [lamports(w.owner.publicKey)],
  'takes lamports of the fee payer': (w) => [lamports(w.payer.publicKey)],
  'calls the wallet to pay': (w) => [toInstruction(transferUsdc(w, { spend_seq: 3n }))],
  'calls the wallet to pay the owner': (w) => [toInstruction(ownerWithdraw(w))],
  'calls the wallet to sweep the collateral': (w) => [toInstruction(sweepTokenAccount(w))],
  'calls the wallet to deposit again': (w) => [toInstruction(yieldDeposit(w, { spend_seq: 3n }))],
};

/** Adds a test per theft; tampering follows the reserve's honest part. */
function itRefusesThefts(make: (world: World) => Call, honest: Calls, mismatches: Thefts): void {
  const thefts: readonly Theft[] = [
    ...Object.entries(mismatches).map(
      ([name, calls]) => [name, calls, 'ReserveDeltaMismatch'] as const,
    ),
    ...[...tampering('transit'), ...tampering('collateral'), freezing].map(
      ([name, calls, ...error]): Theft => [name, (w) => [...honest(w), ...calls(w)], ...error],
    ),
  ];
  for (const [name, calls, error, account] of thefts) {
    it(`that ${name} is refused`, () => {
      expectUnmoved(make, calls, (outcome) => expectError(outcome, error, account));
    });
  }

  it.each(Object.entries(outOfReach))('that %s is refused', (_name, calls) => {
    expectUnmoved(make, (w) => [...honest(w), ...calls(w)], expectStopped);
  });
}

/** Adds a test per account that the reserve empties by these calls and then closes. */
function itRefusesClosing(
  make: (world: World) => Call,
  emptying: Readonly<Record<'transit' | 'collateral', Calls>>,
): void {
  it.each(['transit', 'collateral'] as const)(
    'that empties and closes the %s account is refused',
    (name) => {
      expectUnmoved(
        make,
        (w) => [...emptying[name](w), closed(w, name)],
        (outcome) => expectError(outcome, 'AccountNotInitialized', `${name}_token_account`),
      );
    },
  );
}

/** Neither the session nor the owner moves money by this call. */
function expectUnmoved(
  make: (world: World) => Call,
  calls: Calls,
  expectRefusal: (outcome: Outcome) => void,
): void {
  const world = worldWithDeployment(calls);
  const before = balances(world);
  for (const call of [make(world), byOwner(make(world), world)])
    expectRefusal(attempt(world, call));
  expect(balances(world)).toEqual(before);
}

describe('a deposit of 100 to a reserve', () => {
  itRefusesThefts(deposit, (w) => [taken(w, 100n), given(w, 100n)], {
    'takes nothing and gives nothing': () => [],
    'gives nothing': (w) => [taken(w, 100n)],
    'takes nothing and gives': (w) => [given(w, 100n)],
    'takes one more than the amount': (w) => [taken(w, 101n), given(w, 100n)],
    'takes all that is in transit': (w) => [taken(w, 100n + DONATED), given(w, 100n)],
    'pays instead of taking': (w) => [paid(w, 1n), given(w, 100n)],
    'takes back what it gives': (w) => [taken(w, 100n), given(w, 100n), burned(w, 100n)],
    'takes back more than it gives': (w) => [taken(w, 100n), given(w, 100n), burned(w, 600n)],
  });

  itRefusesClosing(deposit, {
    transit: (w) => [taken(w, 100n + DONATED), given(w, 100n)],
    collateral: (w) => [taken(w, 100n), burned(w, DEPLOYED)],
  });

  it.each([1n, 99n])('that mints %i units of collateral for it is accepted', (units) => {
    const world = worldWithDeployment((w) => [taken(w, 100n), given(w, units)]);
    run(world, yieldDeposit(world, { amount: 100n, spend_seq: 2n }));
    expect(balances(world)).toMatchObject({
      vault: VAULT_BALANCE - DEPLOYED - 100n + DONATED,
      collateral: DEPLOYED + units,
      deployed: DEPLOYED + 100n,
      transit: 0n,
    });
  });

  it.each([1n, 99n])(
    'that takes only %i of it deploys that amount, and the rest returns',
    (amount) => {
      const world = worldWithDeployment((w) => [taken(w, amount), given(w, 1n)]);
      run(world, yieldDeposit(world, { amount: 100n, spend_seq: 2n }));
      expect(balances(world)).toMatchObject({
        vault: VAULT_BALANCE - DEPLOYED - amount + DONATED,
        deployed: DEPLOYED + amount,
        transit: 0n,
      });
    },
  );
});

describe('a withdrawal of 100 for 100 units from a reserve', () => {
  itRefusesThefts(withdraw, (w) => [burned(w, 100n), paid(w, 100n)], {
    'pays nothing': (w) => [burned(w, 100n)],
    'burns nothing': (w) => [paid(w, 100n)],
    'burns one unit less': (w) => [burned(w, 99n), paid(w, 100n)],
    'burns one unit more': (w) => [burned(w, 101n), paid(w, 100n)],
    'burns all units': (w) => [burned(w, 500n), paid(w, 100n)],
    'gives units': (w) => [given(w, 100n), paid(w, 100n)],
    'pays two units more than requested': (w) => [burned(w, 100n), paid(w, 102n)],
    'takes what lay in transit instead': (w) => [burned(w, 100n), taken(w, DONATED)],
    'pays and takes it again': (w) => [burned(w, 100n), paid(w, 100n), taken(w, 100n)],
  });

  itRefusesClosing(withdraw, {
    transit: (w) => [burned(w, 100n), taken(w, DONATED)],
    collateral: (w) => [burned(w, DEPLOYED), paid(w, 100n)],
  });

  it.each([1n, 50n, 99n])('that pays only %i reduces the deployed amount by no more', (amount) => {
    const world = worldWithDeployment((w) => [burned(w, 100n), paid(w, amount)]);
    run(world, withdraw(world));
    expect(balances(world)).toMatchObject({
      vault: VAULT_BALANCE - DEPLOYED + amount + DONATED,
      deployed: DEPLOYED - amount,
      transit: 0n,
    });
  });

  it('that keeps nearly everything leaves the rest counted as deployed', () => {
    const world = worldWithDeployment((w) => [burned(w, DEPLOYED), paid(w, 1n)]);
    run(world, redeemByOwner(world, DEPLOYED));
    expect(balances(world)).toMatchObject({ collateral: 0n, deployed: DEPLOYED - 1n });
  });
});

describe("the owner's largest amount for 100 units from a reserve", () => {
  itRefusesThefts(redeem, (w) => [burned(w, 100n), paid(w, 100n)], {
    'pays nothing': (w) => [burned(w, 100n)],
    'burns nothing': (w) => [paid(w, 100n)],
    'burns one unit less': (w) => [burned(w, 99n), paid(w, 100n)],
    'burns one unit more': (w) => [burned(w, 101n), paid(w, 100n)],
    'burns all units': (w) => [burned(w, DEPLOYED), paid(w, DEPLOYED)],
    'gives units': (w) => [given(w, 100n), paid(w, 100n)],
    'takes what lay in transit instead': (w) => [burned(w, 100n), taken(w, DONATED)],
    'pays and takes it again': (w) => [burned(w, 100n), paid(w, 100n), taken(w, 100n)],
  });

  it.each([1n, 100n, 500n])('that pays %i counts as that much returned', (amount) => {
    const world = worldWithDeployment((w) => [burned(w, 100n), paid(w, amount)]);
    run(world, redeem(world));
    expect(balances(world)).toMatchObject({
      vault: VAULT_BALANCE - DEPLOYED + amount + DONATED,
      collateral: DEPLOYED - 100n,
      deployed: DEPLOYED - amount,
    });
  });
});

describe('a reserve that keeps all deposits', () => {
  it.each([1, 2_500, 5_000, 9_999])(
    'receives at most the fraction (%i basis points), however often a session deposits',
    (bp) => {
      const world = worldWithReserve();
      run(world, setMaxDeployedFraction(world, bp));
      const most = (VAULT_BALANCE * BigInt(bp)) / 10_000n;
      let seq = 0n;
      for (const part of [2n, 3n, 5n, 7n, 1n]) {
        const amount = (most - balances(world).deployed) / part;
        upgradeReserve(world.svm, [taken(world, amount), given(world, 1n)]);
        const next = yieldDeposit(world, { amount, spend_seq: (seq += 1n) });
        if (amount > 0n) run(world, next);
      }
      upgradeReserve(world.svm, [taken(world, 1n), given(world, 1n)]);
      const another = yieldDeposit(world, { amount: 1n, spend_seq: (seq += 1n) });
      expectError(attempt(world, another), 'DeployedFractionExceeded');
      expect(balances(world)).toMatchObject({ deployed: most, vault: VAULT_BALANCE - most });
    },
  );

  it('receives no more when it pays a little back in between', () => {
    const world = worldWithReserve();
    run(world, setMaxDeployedFraction(world, 1_000));
    const most = VAULT_BALANCE / 10n;
    upgradeReserve(world.svm, [taken(world, most), given(world, 1_000n)]);
    run(world, yieldDeposit(world, { amount: most, spend_seq: 1n }));
    for (let turn = 1n; turn <= 20n; turn += 1n) {
      upgradeReserve(world.svm, [burned(world, 1n), paid(world, 9n)]);
      const back = { amount: 10n, collateral_amount: 1n, spend_seq: 2n * turn };
      run(world, yieldWithdraw(world, back));
      const tooMuch = yieldDeposit(world, { amount: 10n, spend_seq: 2n * turn + 1n });
      upgradeReserve(world.svm, [taken(world, 10n), given(world, 1n)]);
      expectError(attempt(world, tooMuch), 'DeployedFractionExceeded');
      upgradeReserve(world.svm, [taken(world, 9n), given(world, 1n)]);
      run(world, yieldDeposit(world, { amount: 9n, spend_seq: 2n * turn + 1n }));
      expect(balances(world)).toMatchObject({ deployed: most, vault: VAULT_BALANCE - most });
    }
  });

  it('does not stop the owner from withdrawing the undeployed balance', () => {
    const world = worldWithDeployment(() => []);
    setTokenAccount(world.svm, world.owner.publicKey, 0n);
    run(world, ownerWithdraw(world, U64_MAX));
    expect(balances(world).vault).toBe(0n);
  });
});

/** 500 are deployed and 77 are in transit when the reserve starts to make these calls. */
function worldWithDeployment(calls: Calls): World {
  const world = worldWithReserve();
  run(world, yieldDeposit(world, { amount: DEPLOYED }));
  setTokenAccount(world.svm, world.yieldAuthority, DONATED);
  allowFreezing(world);
  upgradeReserve(world.svm, calls(world));
  return world;
}

/** Ways to tamper with an account that the reserve receives. */
function tampering(name: 'transit' | 'collateral'): readonly Theft[] {
  const approve: Calls = (w) => [
    createApproveInstruction(w[name], AUTHORITY, w.yieldAuthority, 1n),
  ];
  const authority = (type: AuthorityType): Calls => {
    return (w) => [createSetAuthorityInstruction(w[name], w.yieldAuthority, type, AUTHORITY)];
  };
  const roles: readonly (readonly [string, Calls, string])[] = [
    ['delegate', approve, 'TokenAccountDelegated'],
    ['close authority', authority(AuthorityType.CloseAccount), 'TokenAccountCloseAuthority'],
    ['owner', authority(AuthorityType.AccountOwner), 'ConstraintTokenOwner'],
  ];
  return roles.map(([role, calls, error]): Theft => [
    `becomes the ${role} of the ${name} account`,
    calls,
    error,
    `${name}_token_account`,
  ]);
}

function deposit(world: World): Call {
  return yieldDeposit(world, { amount: 100n, spend_seq: 2n });
}

function withdraw(world: World): Call {
  return yieldWithdraw(world, { amount: 100n, collateral_amount: 100n, spend_seq: 2n });
}

function redeem(world: World): Call {
  return redeemByOwner(world, 100n);
}

/** The runtime stopped the reserve at an account that it was not handed or cannot sign for. */
function expectStopped({ failed, logs }: Outcome): void {
  const ends = [
    'An account required by the instruction is missing',
    'Cross-program invocation with unauthorized signer or writable account',
  ].map((reason) => `Program ${RESERVE_PROGRAM_ID.toBase58()} failed: ${reason}`);
  expect(failed, 'the call passed').toBe(true);
  expect(logs.filter((line) => ends.includes(line))).toHaveLength(1);
}

function taken(world: World, amount: bigint): TransactionInstruction {
  return createTransferInstruction(world.transit, SUPPLY, world.yieldAuthority, amount);
}

function paid(world: World, amount: bigint): TransactionInstruction {
  return createTransferInstruction(SUPPLY, world.transit, AUTHORITY, amount);
}

function given(world: World, units: bigint): TransactionInstruction {
  return createMintToInstruction(MINT, world.collateral, AUTHORITY, units);
}

function burned(world: World, units: bigint): TransactionInstruction {
  return createBurnInstruction(world.collateral, MINT, world.yieldAuthority, units);
}

function closed(world: World, name: 'transit' | 'collateral'): TransactionInstruction {
  return createCloseAccountInstruction(world[name], SUPPLY, world.yieldAuthority);
}

function lamports(fromPubkey: PublicKey): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey, toPubkey: reserveAccounts.reserve, lamports: 1 });
}

/** The collateral mint belongs to the reserve, which may have kept the freeze authority. */
function allowFreezing(world: World): void {
  editData(world.svm, MINT, (data) => {
    data.writeUInt32LE(1, 46);
    AUTHORITY.toBuffer().copy(data, 50);
  });
}
