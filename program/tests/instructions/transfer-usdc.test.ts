import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { SystemProgram } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { addSession, revokeSession, setPaused, transferUsdc } from '../support/calls.ts';
import {
  after,
  both,
  edited,
  type Mutator,
  removed,
  replaced,
  withArgs,
} from '../support/mutators.ts';
import { attempt, run } from '../support/call.ts';
import {
  FIRST_INDEX,
  NOW,
  removeAccount,
  setClock,
  setTokenAccount,
  tokenAddress,
  tokenBalance,
  DAY,
  U64_MAX,
  HOUR,
} from '../support/chain.ts';
import {
  expectError,
  expectEvent,
  expectForeignError,
  itChecksInOrder,
  itRefuses,
  TOKEN_INSUFFICIENT_FUNDS,
  TOKEN_ACCOUNT_FROZEN,
} from '../support/expect.ts';
import { allowing, firstChecksOfSpend, refusalsOfSpend } from '../support/refusals.ts';
import { failing, faulty, swapped } from '../support/faults.ts';
import {
  defaultSettings,
  foreignTokenAccount,
  read,
  spendFields,
  VAULT_BALANCE,
  wallets,
  worldWithSession,
  paid,
} from '../support/world.ts';

describe('transfer_usdc', () => {
  it('moves the amount, counts it and emits the event in the log and as a self-call', () => {
    const world = worldWithSession();
    run(world, transferUsdc(world, { amount: 40n, spend_seq: 1n }));
    const outcome = run(world, transferUsdc(world, { amount: 60n, spend_seq: 300n }));
    expect(outcome.logs[1]).toBe('Program log: Instruction: TransferUsdc');
    expect(tokenBalance(world.svm, world.vaultTokenAccount)).toBe(VAULT_BALANCE - 100n);
    expect(paid(world)).toBe(100n);
    const hour = Number(NOW / HOUR) % 25;
    expect(read(world, 'Session', world.session)).toMatchObject({
      daily_spent: 100n,
      daily_window_start: NOW - (NOW % HOUR) - DAY,
      last_seen: NOW,
      buckets: Array.from({ length: 25 }, (_, place) => (place === hour ? 100n : 0n)),
      highest_seq: 300n,
      bitmap: [1n << 44n, 0n, 0n, 0n],
    });
    expectEvent(outcome, 'UsdcTransferred', {
      ...spendFields(world, 300n),
      recipient: world.recipient.toBase58(),
      amount: 60n,
      daily_spent: 100n,
      daily_cap: 100n,
      vault_balance_after: VAULT_BALANCE - 100n,
    });
  });

  it('spends in the second of the expiry and not one second later', () => {
    const expiry = NOW + 10n;
    const world = worldWithSession({ expiry });
    setClock(world.svm, expiry);
    run(world, transferUsdc(world));
    setClock(world.svm, expiry + 1n);
    expectError(attempt(world, transferUsdc(world, { spend_seq: 2n })), 'SessionExpired');
  });

  it('never exceeds the cap in 24 hours and is at most one hour too strict', () => {
    const world = worldWithSession();
    run(world, transferUsdc(world, { amount: 50n, spend_seq: 1n }));
    setClock(world.svm, NOW + 2n * HOUR);
    run(world, transferUsdc(world, { amount: 50n, spend_seq: 2n }));
    const freed = NOW - (NOW % HOUR) + HOUR + DAY;
    setClock(world.svm, freed - 1n);
    const third = transferUsdc(world, { amount: 1n, spend_seq: 3n });
    expectError(attempt(world, third), 'DailyCapExceeded');
    setClock(world.svm, freed);
    const tooMuch = transferUsdc(world, { amount: 51n, spend_seq: 3n });
    expectError(attempt(world, tooMuch), 'DailyCapExceeded');
    run(world, transferUsdc(world, { amount: 50n, spend_seq: 3n }));
    expect(read(world, 'Session', world.session)['daily_spent']).toBe(100n);
  });

  it('keeps the window when the clock goes back and compares the expiry with the real clock', () => {
    const world = worldWithSession({ expiry: NOW + 5n });
    run(world, transferUsdc(world, { amount: 60n, spend_seq: 1n }));
    setClock(world.svm, NOW - 2n * DAY);
    const tooMuch = transferUsdc(world, { amount: 41n, spend_seq: 2n });
    expectError(attempt(world, tooMuch), 'DailyCapExceeded');
    run(world, transferUsdc(world, { amount: 40n, spend_seq: 2n }));
    expect(read(world, 'Session', world.session)['last_seen']).toBe(NOW);
  });

  it('executes sequence numbers in any order, each once', () => {
    const world = worldWithSession({ daily_cap: 1_000n });
    for (const spend_seq of [5n, 2n, 260n, 6n]) run(world, transferUsdc(world, { spend_seq }));
    for (const spend_seq of [5n, 2n, 260n, 6n]) {
      const outcome = attempt(world, transferUsdc(world, { spend_seq }));
      const tooOld = 260n - spend_seq >= 256n;
      expectError(outcome, tooOld ? 'SpendSequenceTooOld' : 'SpendAlreadyExecuted');
    }
    expectError(attempt(world, transferUsdc(world, { spend_seq: 4n })), 'SpendSequenceTooOld');
    expect(paid(world)).toBe(40n);
  });

  it('accepts a sequence number 2^32 ahead and none further', () => {
    const world = worldWithSession();
    const far = 2n ** 32n;
    const tooFar = transferUsdc(world, { spend_seq: far + 1n });
    expectError(attempt(world, tooFar), 'SpendSequenceTooFar');
    run(world, transferUsdc(world, { spend_seq: far }));
    expect(read(world, 'Session', world.session)['highest_seq']).toBe(far);
  });

  it('pays nothing when one transaction carries the same spend twice', () => {
    const world = worldWithSession();
    const outcome = attempt(world, transferUsdc(world), transferUsdc(world));
    expectError(outcome, 'SpendAlreadyExecuted');
    expect(tokenBalance(world.svm, world.vaultTokenAccount)).toBe(VAULT_BALANCE);
  });

  it('executes no spend of a revoked session in its re-created successor', () => {
    const world = worldWithSession();
    run(world, revokeSession(world));
    run(world, addSession(world));
    expectError(attempt(world, transferUsdc(world)), 'SessionMismatch');
    run(world, transferUsdc(world, { session_index: FIRST_INDEX + 1n }));
  });

  it('spends again when the vault is resumed', () => {
    const world = worldWithSession();
    run(world, setPaused(world, true));
    expectError(attempt(world, transferUsdc(world)), 'VaultPaused');
    run(world, setPaused(world, false));
    run(world, transferUsdc(world));
  });

  it('pays the last of ten recipients', () => {
    const { recipient } = worldWithSession();
    const world = worldWithSession({ recipients: [...wallets(9), recipient] });
    run(world, transferUsdc(world));
    expect(tokenBalance(world.svm, tokenAddress(recipient))).toBe(10n);
  });

  it('handles amounts of all 64 bits', () => {
    const world = worldWithSession({ max_per_tx: U64_MAX, daily_cap: U64_MAX });
    setTokenAccount(world.svm, world.vault, U64_MAX);
    run(world, transferUsdc(world, { amount: U64_MAX - 1n, spend_seq: 1n }));
    const overflow = transferUsdc(world, { amount: 2n, spend_seq: 2n });
    expectError(attempt(world, overflow), 'DailyCapExceeded');
    run(world, transferUsdc(world, { amount: 1n, spend_seq: 2n }));
    expect(paid(world)).toBe(U64_MAX);
  });

  it.each<[string, Mutator, number]>([
    [
      'the vault holds too little',
      edited('vault_token_account', (data) => data.writeBigUInt64LE(9n, 64)),
      TOKEN_INSUFFICIENT_FUNDS,
    ],
    ['the token account of the vault is frozen', freeze('vault'), TOKEN_ACCOUNT_FROZEN],
    ['the token account of the recipient is frozen', freeze('recipient'), TOKEN_ACCOUNT_FROZEN],
  ])('leaves the refusal to the token program when %s', (_behaviour, mutate, code) => {
    const world = worldWithSession();
    const outcome = attempt(world, mutate(transferUsdc(world), world));
    expectForeignError(outcome, TOKEN_PROGRAM_ID.toBase58(), code);
    expect(read(world, 'Session', world.session)['highest_seq']).toBe(0n);
  });

  itRefuses(worldWithSession, transferUsdc, [
    ...refusalsOfSpend('session_key'),
    ...failing('InvalidClock', {
      'the clock is negative': after((w) => setClock(w.svm, -1n)),
    }),
    ...failing('InstructionNotAllowed', { 'its instruction bit is not set': allowing(6) }),
    ...failing('AmountExceedsMaxPerTx', {
      'the amount is above the maximum per transfer': withArgs({ amount: 61n }),
      'the amount has all bits set': withArgs({ amount: U64_MAX }),
    }),
    ...swapped(
      'recipient',
      'RecipientNotAllowed',
      {
        'not on the list': (w) => w.stranger.publicKey,
        'the zero address of the unused places': () => SystemProgram.programId,
      },
      null,
    ),
    ...failing('DailyCapExceeded', {
      'the daily cap is reached': both(
        after((w) => run(w, transferUsdc(w, { amount: 60n }))),
        withArgs({ amount: 41n, spend_seq: 2n }),
      ),
    }),
    ...faulty('recipient_token_account', 'readonly', 'missing', 'dust', 'token2022', 'mintSized'),
    ...faulty('recipient_token_account', 'handedOver', 'duplicate'),
    ...swapped('recipient_token_account', 'ConstraintTokenMint', {
      'one of another mint': (w) => foreignTokenAccount(w, w.recipient),
    }),
    ...swapped('recipient_token_account', 'ConstraintTokenOwner', {
      'that of the vault': (w) => w.vaultTokenAccount,
    }),
  ]);
});

describe('the order of checks of transfer_usdc', () => {
  itChecksInOrder(worldWithSession, transferUsdc, [
    [
      'token program',
      replaced('token_program', (w) => w.vault),
      'InvalidProgramId',
      'token_program',
    ],
    [
      'token account',
      removed('recipient_token_account'),
      'AccountNotInitialized',
      'recipient_token_account',
    ],
    ['daily cap', setSessionU64(32), 'DailyCapExceeded'],
    ['recipient', replaced('recipient', (w) => w.stranger.publicKey), 'RecipientNotAllowed'],
    ['maximum per transfer', setSessionU64(24), 'AmountExceedsMaxPerTx'],
    ...firstChecksOfSpend('session_key', 1),
  ]);

  it('refuses a landed spend as executed, even when the session may no longer spend', () => {
    const world = worldWithSession();
    const call = transferUsdc(world);
    run(world, call);
    run(world, setPaused(world, true));
    setClock(world.svm, defaultSettings(world).expiry + DAY);
    removeAccount(world.svm, tokenAddress(world.recipient));
    expectError(attempt(world, call), 'SpendAlreadyExecuted');
  });
});

function setSessionU64(offset: number): Mutator {
  return edited('session', (data) => data.writeBigUInt64LE(9n, offset));
}

function freeze(wallet: 'vault' | 'recipient'): Mutator {
  return edited(`${wallet}_token_account`, (data) => data.writeUInt8(2, 108));
}
