import { ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { type Keypair, SystemProgram } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { attempt, type Call, run } from '../support/call.ts';
import {
  byOwner,
  ownerWithdraw,
  setMaxDeployedFraction,
  transferUsdc,
  yieldDeposit,
  yieldWithdraw,
} from '../support/calls.ts';
import { signedBy } from '../support/mutators.ts';
import {
  editData,
  getAccount,
  keypair,
  PROGRAM_ID,
  setAccount,
  setTokenAccount,
  tokenAddress,
  tokenBalance,
  U64_MAX,
} from '../support/chain.ts';
import { everyInstruction } from '../support/every-instruction.ts';
import { expectError } from '../support/expect.ts';
import { RESERVE_PROGRAM_ID } from '../support/reserve.ts';
import {
  VAULT_BALANCE,
  type World,
  worldWithReserve,
  worldWithSession,
  paid,
} from '../support/world.ts';
import { balances, worldWithInterest } from '../support/yield-world.ts';

const TRANSFER_CHECKED = 12;
const CLOSE_ACCOUNT = 9;
const CALLED = [
  PROGRAM_ID,
  TOKEN_PROGRAM_ID,
  ASSOCIATED_TOKEN_PROGRAM_ID,
  SystemProgram.programId,
  RESERVE_PROGRAM_ID,
];
const PAYS_LAMPORTS = [
  'init_vault',
  'init_yield',
  'add_session',
  'revoke_session',
  'sweep_token_account that closes',
  'sweep_lamports',
  'migrate_vault',
  'close_vault',
];

describe('a call that the program signs', () => {
  it.each(everyInstruction)(
    'is only ever a payment by the token program, or closes an account for the owner: %s',
    (_name, makeCall, makeWorld) => {
      const world = makeWorld();
      const { innerCalls } = run(world, makeCall(world));
      const ours = [world.vault, world.yieldAuthority].map((key) => key.toBase58());
      const closing = innerCalls.filter(
        ({ program, data }) => program === TOKEN_PROGRAM_ID.toBase58() && data[0] === CLOSE_ACCOUNT,
      );
      const payees = new Set(closing.map(({ accounts }) => accounts[1]));
      expect([...payees].filter((one) => one !== world.owner.publicKey.toBase58())).toEqual([]);
      const signed = innerCalls.filter(
        ({ program, accounts }) =>
          program === TOKEN_PROGRAM_ID.toBase58() && ours.includes(accounts[3] ?? ''),
      );
      expect(signed.filter(({ data }) => data[0] !== TRANSFER_CHECKED)).toEqual([]);
      // All further calls go to the known programs.
      const others = new Set(innerCalls.map(({ program }) => program));
      const known = CALLED.map((id) => id.toBase58());
      expect([...others].filter((program) => !known.includes(program))).toEqual([]);
    },
  );

  it.each(everyInstruction.filter(([name]) => !PAYS_LAMPORTS.includes(name)))(
    'moves no lamports but the fee: %s',
    (_name, makeCall, makeWorld) => {
      const world = makeWorld();
      const call = makeCall(world);
      const addresses = call.accounts.map(({ pubkey }) => pubkey);
      const lamports = (): (bigint | undefined)[] =>
        addresses.map((address) => getAccount(world.svm, address)?.lamports);
      const before = lamports();
      run(world, call);
      expect(lamports()).toEqual(before);
    },
  );
});

describe('the fee payer', () => {
  const payers: readonly (readonly [string, (world: World) => Keypair])[] = [
    ['the session key', (w) => w.sessionKey],
    ['the owner', (w) => w.owner],
    ['a stranger', (w) => w.stranger],
    ['the recipient', () => keypair('recipient')],
  ];
  it.each(payers)('loses only the fee and gains nothing: %s', (_name, choose) => {
    const world = worldWithSession();
    const payer = choose(world);
    setAccount(world.svm, payer.publicKey, { lamports: 1_000_000_000n });
    run({ ...world, payer }, transferUsdc(world));
    const signatures = payer === world.sessionKey ? 1n : 2n;
    const left = getAccount(world.svm, payer.publicKey)?.lamports;
    expect(left).toBe(1_000_000_000n - 5_000n * signatures);
    expect(paid(world)).toBe(10n);
  });

  it.each(payers.slice(1))('cannot sign in place of the session key: %s', (_name, choose) => {
    const world = worldWithSession();
    const payer = choose(world);
    setAccount(world.svm, payer.publicKey, { lamports: 1_000_000_000n });
    const call = signedBy('session_key', choose)(transferUsdc(world), world);
    expectError(attempt({ ...world, payer }, call), 'ConstraintHasOne', 'session');
  });
});

describe('a gift', () => {
  it('to the vault raises the deployable amount by its fraction only', () => {
    const world = worldWithReserve();
    run(world, setMaxDeployedFraction(world, 1_000));
    setTokenAccount(world.svm, world.vault, VAULT_BALANCE + 1_000n);
    const most = VAULT_BALANCE / 10n + 100n;
    const tooMuch = yieldDeposit(world, { amount: most + 1n });
    expectError(attempt(world, tooMuch), 'DeployedFractionExceeded');
    run(world, yieldDeposit(world, { amount: most }));
    expect(balances(world).deployed).toBe(most);
  });

  it('to the vault raises no limit of a session', () => {
    const world = worldWithSession();
    setTokenAccount(world.svm, world.vault, U64_MAX);
    const tooMuch = transferUsdc(world, { amount: 61n });
    expectError(attempt(world, tooMuch), 'AmountExceedsMaxPerTx');
  });

  it.each([
    ['transit', 1n],
    ['transit', U64_MAX / 2n],
    ['collateral', 1n],
    ['collateral', 1_000n],
  ] as const)('to the %s account of %i stops neither deposits nor withdrawals', (name, amount) => {
    const world = worldWithInterest();
    const address = world[name];
    editData(world.svm, address, (data) =>
      data.writeBigUInt64LE(data.readBigUInt64LE(64) + amount, 64),
    );
    run(world, yieldDeposit(world, { amount: 10n, spend_seq: 2n }));
    const part = { amount: 30n, collateral_amount: 20n, spend_seq: 3n };
    run(world, yieldWithdraw(world, part));
    // The reserve took 9 of the 10 and paid 30; the gift counts as neither.
    expect(balances(world)).toMatchObject({ deployed: 99n + 9n - 30n, transit: 0n });
  });

  it('of lamports to an account of the wallet changes nothing', () => {
    const world = worldWithInterest();
    for (const address of [world.vault, world.session, world.transit, world.yieldAuthority])
      setAccount(world.svm, address, { lamports: 3_000_000_000n });
    run(world, transferUsdc(world, { spend_seq: 5n }));
    run(world, yieldDeposit(world, { spend_seq: 6n }));
    expect(paid(world)).toBe(10n);
  });
});

describe('rounding', () => {
  it('gains a session nothing in a hundred round trips at an odd rate', () => {
    const world = worldWithInterest();
    const before = worth(world);
    for (let turn = 0n; turn < 100n; turn += 1n) {
      run(world, yieldDeposit(world, { amount: 4n + (turn % 5n), spend_seq: 2n * turn + 2n }));
      const part = { amount: 2n, collateral_amount: 1n, spend_seq: 2n * turn + 3n };
      run(world, yieldWithdraw(world, part));
    }
    const after = worth(world);
    expect(after).toBeLessThanOrEqual(before);
    // Each step may lose half a unit's worth to the reserve by rounding.
    expect(before - after).toBeLessThanOrEqual(400n);
  });

  it("never counts the vault's own balance as deployed", () => {
    const world = worldWithInterest();
    const total = balances(world).vault + balances(world).deployed;
    for (let turn = 0n; turn < 30n; turn += 1n) {
      run(world, yieldDeposit(world, { amount: 7n, spend_seq: turn + 2n }));
      const { vault, deployed } = balances(world);
      expect(vault + deployed).toBe(total);
    }
  });
});

describe('an amount at the edge of 64 bits', () => {
  const amounts = [U64_MAX, U64_MAX - 1n, 2n ** 63n, 2n ** 63n - 1n, VAULT_BALANCE + 1n];
  it.each(amounts)('%i moves nothing beyond the balance', (amount) => {
    const world = worldWithInterest();
    setTokenAccount(world.svm, world.owner.publicKey, 0n);
    const before = balances(world);
    const calls: readonly Call[] = [
      transferUsdc(world, { amount, spend_seq: 7n }),
      yieldDeposit(world, { amount, spend_seq: 7n }),
      byOwner(yieldDeposit(world, { amount }), world),
      yieldWithdraw(world, { amount, collateral_amount: 1n, spend_seq: 7n }),
      yieldWithdraw(world, { amount: 1n, collateral_amount: amount, spend_seq: 7n }),
      byOwner(yieldWithdraw(world, { amount: 1n, collateral_amount: amount }), world),
      ...(amount === U64_MAX ? [] : [ownerWithdraw(world, amount)]),
    ];
    expect(calls.filter((call) => !attempt(world, call).failed)).toEqual([]);
    expect(balances(world)).toEqual(before);
  });

  it("as the vault's balance is paid to the owner", () => {
    const world = worldWithSession();
    setTokenAccount(world.svm, world.vault, U64_MAX);
    setTokenAccount(world.svm, world.owner.publicKey, 0n);
    run(world, ownerWithdraw(world, U64_MAX));
    expect(tokenBalance(world.svm, tokenAddress(world.owner.publicKey))).toBe(U64_MAX);
  });

  it("as the vault's balance does not overflow the fraction", () => {
    const world = worldWithReserve();
    run(world, setMaxDeployedFraction(world, 5_000));
    setTokenAccount(world.svm, world.vault, U64_MAX);
    const tooMuch = yieldDeposit(world, { amount: U64_MAX / 2n + 1n });
    expectError(attempt(world, tooMuch), 'DeployedFractionExceeded');
  });
});

/** Base units of the wallet, with its collateral valued at 150 for 100. */
function worth(world: World): bigint {
  const { vault, transit, collateral } = balances(world);
  return vault + transit + (collateral * 3n) / 2n;
}
