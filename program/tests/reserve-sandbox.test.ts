import { createHash } from 'node:crypto';
import { AnchorError } from '@coral-xyz/anchor';
import { type Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js';
import type { LiteSVM } from 'litesvm';
import { describe, expect, it } from 'vitest';
import {
  createChain,
  getAccount,
  keypair,
  type Outcome,
  publicTestKey,
  send,
  setAccount,
  setMint,
  setTokenAccount,
  tokenAddress,
  tokenBalance,
  USDC_MINT,
} from './support/chain.ts';
import {
  accrue,
  addReserve,
  borrowOut,
  fundReserveAccounts,
  readReserve,
  repay,
  RESERVE_PROGRAM_ID,
  reserveAccounts,
  type ReserveCall,
  reserveIdl,
  reserveInstruction,
} from './support/reserve.ts';

const BALANCE = 1_000_000n;
const COLLATERAL_MINT = reserveAccounts.reserve_collateral_mint;

/** A chain with a reserve and a saver who has USDC and a collateral account. */
interface World {
  readonly svm: LiteSVM;
  readonly admin: Keypair;
  readonly saver: Keypair;
  readonly liquidity: PublicKey;
  readonly collateral: PublicKey;
}

function createWorld(depositLimit?: bigint): World {
  const svm = createChain();
  const [admin, saver] = [keypair('admin'), keypair('saver')];
  addReserve(svm, admin, depositLimit);
  setAccount(svm, saver.publicKey, { lamports: 1_000_000_000n });
  const liquidity = setTokenAccount(svm, saver.publicKey, BALANCE);
  const collateral = setTokenAccount(svm, saver.publicKey, 0n, {
    address: tokenAddress(saver.publicKey, COLLATERAL_MINT),
    mint: COLLATERAL_MINT,
  });
  return { svm, admin, saver, liquidity, collateral };
}

function depositCall(world: World, amount: bigint): ReserveCall {
  const { liquidity, collateral, saver } = world;
  const accounts = { user_source_liquidity: liquidity, user_destination_collateral: collateral };
  return { name: 'deposit_reserve_liquidity', amount, signer: saver.publicKey, accounts };
}

function redeemCall(world: World, amount: bigint): ReserveCall {
  const { liquidity, collateral, saver } = world;
  const accounts = { user_source_collateral: collateral, user_destination_liquidity: liquidity };
  return { name: 'redeem_reserve_collateral', amount, signer: saver.publicKey, accounts };
}

function attempt(world: World, call: ReserveCall, signer = world.saver): Outcome {
  return send(world.svm, [reserveInstruction(call)], [signer]);
}

function run(world: World, call: ReserveCall): Outcome {
  const outcome = attempt(world, call);
  if (outcome.failed) throw new Error(`the call failed:\n${outcome.logs.join('\n')}`);
  return outcome;
}

function expectError(outcome: Outcome, code: number): void {
  expect(outcome.failed, 'the call passed').toBe(true);
  expect(AnchorError.parse(outcome.logs)?.error.errorCode.number).toBe(code);
  const end = `Program ${RESERVE_PROGRAM_ID.toBase58()} failed: custom program error: 0x`;
  expect(outcome.logs.at(-1)).toBe(end + code.toString(16));
}

/** The saver's base units and collateral. */
function held({ svm, liquidity, collateral }: World): readonly bigint[] {
  return [tokenBalance(svm, liquidity), tokenBalance(svm, collateral)];
}

describe('the sandbox reserve', () => {
  it('keeps its fields where Kamino Lend keeps them', () => {
    const { data } = readReserve(createWorld(77n).svm);
    const address = (at: number) => new PublicKey(data.subarray(at, at + 32)).toBase58();
    expect(data).toHaveLength(8_624);
    expect(data.subarray(0, 8).toString('hex')).toBe('2bf2ccca1af73b7f');
    expect(data.readBigUInt64LE(8)).toBe(1n);
    expect(address(32)).toBe(reserveAccounts.lending_market.toBase58());
    expect(address(128)).toBe(USDC_MINT.toBase58());
    expect(address(160)).toBe(reserveAccounts.reserve_liquidity_supply.toBase58());
    expect(data.readBigUInt64LE(272)).toBe(6n);
    expect(address(2_560)).toBe(COLLATERAL_MINT.toBase58());
    expect(address(2_600)).toBe(reserveAccounts.reserve_collateral_supply.toBase58());
    expect(data.readUInt8(4_856)).toBe(0);
    expect(data.readBigUInt64LE(5_016)).toBe(77n);
  });

  it('starts with one unit that cannot be withdrawn', () => {
    const { svm } = createWorld();
    expect(readReserve(svm)).toMatchObject({ available: 1n, borrowedSf: 0n, collateral: 1n });
    expect(tokenBalance(svm, reserveAccounts.reserve_liquidity_supply)).toBe(1n);
    expect(tokenBalance(svm, reserveAccounts.reserve_collateral_supply)).toBe(1n);
    expect(getAccount(svm, COLLATERAL_MINT)?.data.readBigUInt64LE(36)).toBe(1n);
  });

  it('mints collateral for a deposit and returns the deposit for the collateral', () => {
    const world = createWorld();
    run(world, depositCall(world, 400n));
    expect(held(world)).toEqual([BALANCE - 400n, 400n]);
    run(world, redeemCall(world, 400n));
    expect(held(world)).toEqual([BALANCE, 0n]);
    expect(readReserve(world.svm)).toMatchObject({ available: 1n, collateral: 1n });
  });

  it('pays interest only after a repayment', () => {
    const world = withInterest();
    expect(readReserve(world.svm)).toMatchObject({ available: 500n, borrowedSf: 1_050n << 60n });
    expectError(attempt(world, redeemCall(world, 999n)), 6008);
    expect(repay(world.svm, world.admin, 2_000n).failed).toBe(false);
    run(world, redeemCall(world, 999n));
    expect(tokenBalance(world.svm, world.liquidity)).toBe(BALANCE - 999n + 1_548n);
    expect(readReserve(world.svm)).toMatchObject({ available: 2n, collateral: 1n });
    expect(tokenBalance(world.svm, reserveAccounts.reserve_liquidity_supply)).toBe(2n);
  });

  it('rounds against the depositor', () => {
    const world = withInterest();
    run(world, depositCall(world, 6n));
    expect(held(world)).toEqual([BALANCE - 999n - 5n, 999n + 3n]);
    run(world, redeemCall(world, 3n));
    expect(tokenBalance(world.svm, world.liquidity)).toBe(BALANCE - 999n - 5n + 4n);
    expectError(attempt(world, depositCall(world, 1n)), 6003);
  });

  it('refuses a withdrawal that exceeds the available liquidity as a whole', () => {
    const world = createWorld();
    run(world, depositCall(world, 1_000n));
    expect(borrowOut(world.svm, world.admin, 400n).failed).toBe(false);
    expectError(attempt(world, redeemCall(world, 602n)), 6008);
    run(world, redeemCall(world, 601n));
    expectError(borrowOut(world.svm, world.admin, 1n), 6008);
    expect(repay(world.svm, world.saver, 400n).failed).toBe(false);
    run(world, redeemCall(world, 399n));
  });

  it.each([
    ['a deposit of nothing', (w: World) => attempt(w, depositCall(w, 0n)), 6003],
    ['a withdrawal of nothing', (w: World) => attempt(w, redeemCall(w, 0n)), 6003],
    ['a deposit above the limit', (w: World) => attempt(w, depositCall(w, 5_000n)), 6090],
    ['interest on nothing', (w: World) => accrue(w.svm, w.admin, 10_000n), 6003],
    ['a repayment of nothing', (w: World) => repay(w.svm, w.admin, 1n), 6003],
    ['interest made by a stranger', (w: World) => accrue(w.svm, w.saver, 100n), 2001],
    ['a loan to a stranger', (w: World) => borrowOut(w.svm, w.saver, 1n), 2001],
    ['a loan without a refresh before it', borrowStale, 6009],
    ['a loan after a deposit in the same transaction', borrowAfterDeposit, 6009],
  ])('refuses %s', (_name, act, code) => {
    expectError(act(createWorld(5_000n)), code);
  });

  it('is created only once', () => {
    const world = createWorld();
    run(world, depositCall(world, 10n));
    const before = readReserve(world.svm).data;
    expect(initAgain(world).failed).toBe(true);
    expect(readReserve(world.svm).data).toEqual(before);
  });

  const spoiled: [string, (world: World) => PublicKey, number][] = [
    ['reserve', (world) => world.liquidity, 6006],
    ['lending_market', () => reserveAccounts.reserve, 6006],
    ['lending_market_authority', (world) => world.saver.publicKey, 6006],
    ['reserve_liquidity_mint', otherMint, 6006],
    ['reserve_liquidity_supply', (world) => world.liquidity, 6006],
    ['reserve_collateral_mint', otherMint, 6006],
    ['collateral_token_program', (world) => world.saver.publicKey, 3008],
    ['liquidity_token_program', (world) => world.saver.publicKey, 3008],
    ['instruction_sysvar_account', (world) => world.saver.publicKey, 2012],
  ];
  it.each(spoiled)('refuses another %s in a deposit and in a withdrawal', (name, choose, code) => {
    const world = createWorld();
    run(world, depositCall(world, 10n));
    for (const call of [depositCall(world, 5n), redeemCall(world, 5n)]) {
      const accounts = { ...call.accounts, [name]: choose(world) };
      expectError(attempt(world, { ...call, accounts }), code);
    }
  });

  it('pays only to a token account of the signer', () => {
    const world = createWorld();
    run(world, depositCall(world, 10n));
    const call = redeemCall(world, 5n);
    const accounts = {
      ...call.accounts,
      user_destination_liquidity: tokenAddress(world.admin.publicKey),
    };
    expectError(attempt(world, { ...call, accounts }), 2015);
  });

  it('takes collateral only from the signer', () => {
    const world = createWorld();
    run(world, depositCall(world, 10n));
    const call: ReserveCall = {
      ...redeemCall(world, 5n),
      signer: world.admin.publicKey,
      accounts: {
        user_source_collateral: world.collateral,
        user_destination_liquidity: tokenAddress(world.admin.publicKey),
      },
    };
    expect(attempt(world, call, world.admin).failed).toBe(true);
    expect(tokenBalance(world.svm, world.collateral)).toBe(10n);
  });

  it('refuses an unknown instruction, arguments of another length and missing accounts', () => {
    const world = createWorld();
    const deposit = reserveInstruction(depositCall(world, 5n));
    const { keys, programId, data } = deposit;
    const changed = [
      [{ keys, programId, data: Buffer.alloc(8, 9) }, 101],
      [{ keys, programId, data: data.subarray(0, -1) }, 102],
      [{ keys, programId, data: Buffer.concat([data, Buffer.of(0)]) }, 102],
      [{ keys: keys.slice(0, -1), programId, data }, 3005],
    ] as const;
    for (const [parts, code] of changed) {
      const instruction = new TransactionInstruction({ ...parts, keys: [...parts.keys] });
      expectError(send(world.svm, [instruction], [world.saver]), code);
    }
    const unsigned = keys.map((key, place) => (place === 0 ? { ...key, isSigner: false } : key));
    const instruction = new TransactionInstruction({ keys: unsigned, programId, data });
    expectError(send(world.svm, [instruction], [world.admin]), 3010);
  });

  it('has the address of the public test key', () => {
    expect(publicTestKey('reserve_sandbox').toBase58()).toBe(RESERVE_PROGRAM_ID.toBase58());
  });

  it("has Anchor's discriminators, those of Kamino Lend among them", () => {
    const known = new Map(
      reserveIdl.instructions.map(({ name, discriminator }) => {
        const hash = createHash('sha256').update(`global:${name}`).digest().subarray(0, 8);
        expect(discriminator).toEqual([...hash]);
        return [name, hash.toString('hex')];
      }),
    );
    expect(known.get('deposit_reserve_liquidity')).toBe('a9c91e7e06cd6644');
    expect(known.get('redeem_reserve_collateral')).toBe('ea75b57db98edc1d');
    expect(known.get('refresh_reserve')).toBe('02da8aeb4fc91966');
  });
});

/** 999 deposited; 500 lent out have earned 550, so 1 550 for 1 000 of collateral. */
function withInterest(): World {
  const world = createWorld();
  run(world, depositCall(world, 999n));
  expect(borrowOut(world.svm, world.admin, 500n).failed).toBe(false);
  expect(accrue(world.svm, world.admin, 11_000n).failed).toBe(false);
  return world;
}

function borrowStale({ svm, admin }: World): Outcome {
  const signer = admin.publicKey;
  const accounts = { destination: tokenAddress(signer) };
  const call = reserveInstruction({ name: 'borrow_out', amount: 1n, signer, accounts });
  return send(svm, [call], [admin]);
}

function borrowAfterDeposit(world: World): Outcome {
  const signer = world.admin.publicKey;
  const calls: ReserveCall[] = [
    { name: 'refresh_reserve', signer },
    depositCall(world, 10n),
    { name: 'borrow_out', amount: 1n, signer, accounts: { destination: world.liquidity } },
  ];
  return send(world.svm, calls.map(reserveInstruction), [world.saver, world.admin]);
}

function initAgain({ svm, admin }: World): Outcome {
  fundReserveAccounts(svm);
  const signer = admin.publicKey;
  const accounts = { admin_liquidity: tokenAddress(signer) };
  const call = reserveInstruction({ name: 'init_reserve', amount: 5n, signer, accounts });
  return send(svm, [call], [admin]);
}

function otherMint({ svm, saver }: World): PublicKey {
  const address = keypair(`mint of ${saver.publicKey.toBase58()}`).publicKey;
  setMint(svm, address);
  return address;
}
