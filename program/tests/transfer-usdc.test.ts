import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { type PublicKey, SystemProgram } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import {
  addSession,
  after,
  attempt,
  both,
  type Mutator,
  readonly,
  replaced,
  revokeSession,
  run,
  setPaused,
  signedBy,
  transferUsdc,
  type TransferArgs,
  unsigned,
  withArgs,
  withData,
  withoutLastAccount,
} from './support/calls.ts';
import {
  editData,
  keypair,
  NOW,
  removeAccount,
  setAccount,
  setClock,
  setMint,
  setTokenAccount,
  tokenAddress,
  tokenBalance,
} from './support/chain.ts';
import { expectError, expectEvent, expectForeignError, itRefuses } from './support/expect.ts';
import { flipped, removed, strangersWorld } from './support/refusals.ts';
import {
  defaultSettings,
  foreignTokenAddress,
  read,
  sessionAddress,
  VAULT_BALANCE,
  type World,
  worldWithSession,
} from './support/world.ts';

const U64_MAX = 2n ** 64n - 1n;
const HOUR = 3_600n;
const DAY = 24n * HOUR;
const TOKEN_INSUFFICIENT_FUNDS = 0x1;
const TOKEN_ACCOUNT_FROZEN = 0x11;

describe('transfer_usdc', () => {
  it('moves the amount, counts it and says so in both channels', () => {
    const world = worldWithSession();
    run(world, transferUsdc(world, { amount: 40n, spend_seq: 1n }));
    const outcome = run(world, transferUsdc(world, { amount: 60n, spend_seq: 300n }));
    expect(outcome.logs[1]).toBe('Program log: Instruction: TransferUsdc');
    expect(tokenBalance(world.svm, world.vaultTokenAccount)).toBe(VAULT_BALANCE - 100n);
    expect(tokenBalance(world.svm, tokenAddress(world.recipient))).toBe(100n);
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
      vault: world.vault.toBase58(),
      session: world.session.toBase58(),
      session_index: 0n,
      recipient: world.recipient.toBase58(),
      amount: 60n,
      spend_seq: 300n,
      spend_id: Array.from({ length: 16 }, (_, place) => place),
      daily_spent: 100n,
      daily_cap: 100n,
      vault_balance_after: VAULT_BALANCE - 100n,
      unix_timestamp: NOW,
    });
  });

  it('spends in the second of the expiry and not in the next', () => {
    const expiry = NOW + 10n;
    const world = worldWithSession({ expiry });
    setClock(world.svm, expiry);
    run(world, transferUsdc(world));
    setClock(world.svm, expiry + 1n);
    expectError(attempt(world, transferUsdc(world, { spend_seq: 2n })), 'SessionExpired');
  });

  it('never lets more than the cap through in 24 hours, at most an hour too strict', () => {
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

  it('keeps the window when the clock goes back, and holds expiry against the real clock', () => {
    const world = worldWithSession({ expiry: NOW + 5n });
    run(world, transferUsdc(world, { amount: 60n, spend_seq: 1n }));
    setClock(world.svm, NOW - 2n * DAY);
    const tooMuch = transferUsdc(world, { amount: 41n, spend_seq: 2n });
    expectError(attempt(world, tooMuch), 'DailyCapExceeded');
    run(world, transferUsdc(world, { amount: 40n, spend_seq: 2n }));
    expect(read(world, 'Session', world.session)['last_seen']).toBe(NOW);
  });

  it('executes numbers in any order, each once', () => {
    const world = worldWithSession({ daily_cap: 1_000n });
    for (const spend_seq of [5n, 2n, 260n, 6n]) run(world, transferUsdc(world, { spend_seq }));
    for (const spend_seq of [5n, 2n, 260n, 6n]) {
      const outcome = attempt(world, transferUsdc(world, { spend_seq }));
      const tooOld = 260n - spend_seq >= 256n;
      expectError(outcome, tooOld ? 'SpendSequenceTooOld' : 'SpendAlreadyExecuted');
    }
    expectError(attempt(world, transferUsdc(world, { spend_seq: 4n })), 'SpendSequenceTooOld');
    expect(tokenBalance(world.svm, tokenAddress(world.recipient))).toBe(40n);
  });

  it('jumps 2^32 ahead and no further', () => {
    const world = worldWithSession();
    const far = 2n ** 32n;
    const tooFar = transferUsdc(world, { spend_seq: far + 1n });
    expectError(attempt(world, tooFar), 'SpendSequenceTooFar');
    run(world, transferUsdc(world, { spend_seq: far }));
    expect(read(world, 'Session', world.session)['highest_seq']).toBe(far);
  });

  it('pays nothing for a spend that another transaction of the same numbers has made', () => {
    const world = worldWithSession();
    const outcome = attempt(world, transferUsdc(world), transferUsdc(world));
    expectError(outcome, 'SpendAlreadyExecuted');
    expect(tokenBalance(world.svm, world.vaultTokenAccount)).toBe(VAULT_BALANCE);
  });

  it('revives nothing in a session that was revoked and made again', () => {
    const world = worldWithSession();
    run(world, revokeSession(world));
    run(world, addSession(world));
    expectError(attempt(world, transferUsdc(world)), 'SessionMismatch');
    run(world, transferUsdc(world, { session_index: 1n }));
  });

  it('spends again when the vault is resumed', () => {
    const world = worldWithSession();
    run(world, setPaused(world, true));
    expectError(attempt(world, transferUsdc(world)), 'VaultPaused');
    run(world, setPaused(world, false));
    run(world, transferUsdc(world));
  });

  it('pays the last of ten recipients', () => {
    const wallets = Array.from({ length: 9 }, (_, place) => keypair(`wallet ${place}`).publicKey);
    const { recipient } = worldWithSession();
    const world = worldWithSession({ recipients: [...wallets, recipient] });
    run(world, transferUsdc(world));
    expect(tokenBalance(world.svm, tokenAddress(recipient))).toBe(10n);
  });

  it('counts amounts of all 64 bits', () => {
    const world = worldWithSession({ max_per_tx: U64_MAX, daily_cap: U64_MAX });
    setTokenAccount(world.svm, world.vault, U64_MAX);
    run(world, transferUsdc(world, { amount: U64_MAX - 1n, spend_seq: 1n }));
    const overflow = transferUsdc(world, { amount: 2n, spend_seq: 2n });
    expectError(attempt(world, overflow), 'DailyCapExceeded');
    run(world, transferUsdc(world, { amount: 1n, spend_seq: 2n }));
    expect(tokenBalance(world.svm, tokenAddress(world.recipient))).toBe(U64_MAX);
  });

  it.each([
    ['the vault holds too little', 0, 64, TOKEN_INSUFFICIENT_FUNDS],
    ['the token account of the vault is frozen', 2, 108, TOKEN_ACCOUNT_FROZEN],
  ])('leaves it to the token program when %s', (_behaviour, value, offset, code) => {
    const world = worldWithSession();
    editData(world.svm, world.vaultTokenAccount, (data) => {
      if (offset === 64) data.writeBigUInt64LE(9n, offset);
      else data.writeUInt8(value, offset);
    });
    expectForeignError(attempt(world, transferUsdc(world)), TOKEN_PROGRAM_ID.toBase58(), code);
    expect(read(world, 'Session', world.session)['highest_seq']).toBe(0n);
  });

  it('leaves it to the token program when the token account of the recipient is frozen', () => {
    const world = worldWithSession();
    editData(world.svm, tokenAddress(world.recipient), (data) => data.writeUInt8(2, 108));
    const outcome = attempt(world, transferUsdc(world));
    expectForeignError(outcome, TOKEN_PROGRAM_ID.toBase58(), TOKEN_ACCOUNT_FROZEN);
  });

  itRefuses(worldWithSession, transferUsdc, [
    ['the session key does not sign', unsigned('session_key'), 'AccountNotSigner', 'session_key'],
    [
      'the owner signs in place of the session key',
      signedBy('session_key', (w) => w.owner),
      'ConstraintHasOne',
      'session',
    ],
    ['the vault is missing', removed((w) => w.vault), 'AccountNotInitialized', 'vault'],
    [
      'the vault is an account of another program',
      after((w) => setAccount(w.svm, w.vault, { owner: w.stranger.publicKey })),
      'AccountOwnedByWrongProgram',
      'vault',
    ],
    [
      'the vault is the session',
      replaced('vault', (w) => w.session),
      'AccountDiscriminatorMismatch',
      'vault',
    ],
    ['the vault has another version', flipped('vault', 8), 'AccountDidNotDeserialize', 'vault'],
    ['the vault is not at its address', flipped('vault', 9), 'ConstraintSeeds', 'vault'],
    [
      'the vault is that of another owner',
      replaced('vault', (w) => strangersWorld(w).vault),
      'ConstraintHasOne',
      'session',
    ],
    ['the session is not writable', readonly('session'), 'ConstraintMut', 'session'],
    ['the session is missing', removed((w) => w.session), 'AccountNotInitialized', 'session'],
    [
      'the session is missing and its address holds dust',
      removed((w) => w.session, 5n),
      'AccountNotInitialized',
      'session',
    ],
    [
      'the session was revoked',
      after((w) => run(w, revokeSession(w))),
      'AccountNotInitialized',
      'session',
    ],
    [
      'the session is an account of another program',
      after((w) => setAccount(w.svm, w.session, { owner: w.stranger.publicKey })),
      'AccountOwnedByWrongProgram',
      'session',
    ],
    [
      'the session is the vault',
      both(
        replaced('session', (w) => w.vault),
        (call) => ({
          ...call,
          accounts: call.accounts.map((meta) =>
            meta.name === 'vault' ? { ...meta, isWritable: true } : meta,
          ),
        }),
      ),
      'AccountDiscriminatorMismatch',
      'session',
    ],
    [
      'the session has another version',
      flipped('session', 8),
      'AccountDidNotDeserialize',
      'session',
    ],
    ['the session is not at its address', flipped('session', 9), 'ConstraintSeeds', 'session'],
    ['the session is of another vault', flipped('session', 48), 'ConstraintSeeds', 'session'],
    [
      'the session is that of another key',
      replaced('session', sessionOfAnotherKey),
      'ConstraintHasOne',
      'session',
    ],
    ['the session index is another', args({ session_index: 1n }), 'SessionMismatch'],
    ['the sequence number is zero', args({ spend_seq: 0n }), 'SpendSequenceTooOld'],
    ['the sequence number was used', spent(), 'SpendAlreadyExecuted'],
    ['the sequence number is too far ahead', args({ spend_seq: U64_MAX }), 'SpendSequenceTooFar'],
    ['the vault is paused', paused(), 'VaultPaused'],
    ['the session has expired', clock(NOW + 31n * DAY), 'SessionExpired'],
    ['the clock is negative', clock(-1n), 'InvalidClock'],
    ['its instruction bit is not set', sessionU16(10, 6), 'InstructionNotAllowed'],
    ['the amount is zero', args({ amount: 0n }), 'InvalidAmount'],
    ['the amount is above the most per transfer', args({ amount: 61n }), 'AmountExceedsMaxPerTx'],
    ['the amount has all bits set', args({ amount: U64_MAX }), 'AmountExceedsMaxPerTx'],
    [
      'the recipient is not on the list',
      replaced('recipient', (w) => w.stranger.publicKey),
      'RecipientNotAllowed',
    ],
    [
      'the recipient is the zero address of the unused places',
      replaced('recipient', () => SystemProgram.programId),
      'RecipientNotAllowed',
    ],
    ['the cap of the day is reached', spent(60n, 41n), 'DailyCapExceeded'],
    [
      'the token account of the vault is not writable',
      readonly('vault_token_account'),
      'ConstraintMut',
      'vault_token_account',
    ],
    [
      'the token account of the vault is another account of the vault',
      replaced('vault_token_account', (w) =>
        setTokenAccount(w.svm, w.vault, 100n, { address: w.stranger.publicKey }),
      ),
      'ConstraintAssociated',
      'vault_token_account',
    ],
    [
      'the token account of the vault is missing',
      removed((w) => w.vaultTokenAccount),
      'AccountNotInitialized',
      'vault_token_account',
    ],
    [
      'the token account of the recipient is not writable',
      readonly('recipient_token_account'),
      'ConstraintMut',
      'recipient_token_account',
    ],
    [
      'the token account of the recipient is missing',
      removed((w) => tokenAddress(w.recipient)),
      'AccountNotInitialized',
      'recipient_token_account',
    ],
    [
      'the token account of the recipient is missing and its address holds dust',
      removed((w) => tokenAddress(w.recipient), 5n),
      'AccountNotInitialized',
      'recipient_token_account',
    ],
    [
      'the token account of the recipient is one of Token-2022',
      after((w) => setAccount(w.svm, tokenAddress(w.recipient), { owner: TOKEN_2022_PROGRAM_ID })),
      'AccountOwnedByWrongProgram',
      'recipient_token_account',
    ],
    [
      'the token account of the recipient has another length',
      after((w) => setAccount(w.svm, tokenAddress(w.recipient), { data: Buffer.alloc(82) })),
      'AccountDidNotDeserialize',
      'recipient_token_account',
    ],
    [
      'the token account of the recipient was handed to another owner',
      after((w) =>
        editData(w.svm, tokenAddress(w.recipient), (data) =>
          w.stranger.publicKey.toBuffer().copy(data, 32),
        ),
      ),
      'ConstraintTokenOwner',
      'recipient_token_account',
    ],
    [
      'the token account of the recipient is of another mint',
      replaced('recipient_token_account', foreignMintAccount),
      'ConstraintTokenMint',
      'recipient_token_account',
    ],
    [
      'the token account of the recipient is not their associated one',
      replaced('recipient_token_account', (w) =>
        setTokenAccount(w.svm, w.recipient, 0n, { address: w.stranger.publicKey }),
      ),
      'ConstraintAssociated',
      'recipient_token_account',
    ],
    [
      'the token account of the recipient is that of the vault',
      replaced('recipient_token_account', (w) => w.vaultTokenAccount),
      'ConstraintTokenOwner',
      'recipient_token_account',
    ],
    [
      'the mint is another',
      replaced('usdc_mint', (w) => w.stranger.publicKey),
      'ConstraintAddress',
      'usdc_mint',
    ],
    [
      'the token program is Token-2022',
      replaced('token_program', () => TOKEN_2022_PROGRAM_ID),
      'InvalidProgramId',
      'token_program',
    ],
    [
      'the event authority is another',
      replaced('event_authority', (w) => w.stranger.publicKey),
      'ConstraintSeeds',
      'event_authority',
    ],
    [
      'the program is another',
      replaced('program', (w) => w.stranger.publicKey),
      'InvalidProgramId',
      'program',
    ],
    ['an account is missing', withoutLastAccount, 'AccountNotEnoughKeys'],
    [
      'the arguments are cut off',
      withData((data) => data.subarray(0, -1)),
      'InstructionDidNotDeserialize',
    ],
    [
      'a byte follows the arguments',
      withData((data) => Buffer.concat([data, Buffer.of(0)])),
      'InstructionDidNotDeserialize',
    ],
  ]);
});

describe('the order of checks of transfer_usdc', () => {
  // Each step spoils one thing more, from the last check to the first; the newest one answers.
  const unlisted = replaced('recipient', (w) => w.stranger.publicKey);
  const steps: [string, Mutator, string, string?][] = [
    [
      'token program',
      replaced('token_program', (w) => w.vault),
      'InvalidProgramId',
      'token_program',
    ],
    [
      'token account',
      removed((w) => tokenAddress(w.recipient)),
      'AccountNotInitialized',
      'recipient_token_account',
    ],
    ['daily cap', sessionU64(32, 9n), 'DailyCapExceeded'],
    ['recipient', unlisted, 'RecipientNotAllowed'],
    ['most per transfer', sessionU64(24, 9n), 'AmountExceedsMaxPerTx'],
    ['amount', args({ amount: 0n }), 'InvalidAmount'],
    ['instruction bit', sessionU16(10, 0), 'InstructionNotAllowed'],
    ['expiry', sessionU64(40, 1n), 'SessionExpired'],
    ['pause', paused(), 'VaultPaused'],
    ['sequence number', args({ spend_seq: 0n }), 'SpendSequenceTooOld'],
    ['session index', args({ session_index: 9n }), 'SessionMismatch'],
    ['signer', unsigned('session_key'), 'AccountNotSigner', 'session_key'],
    ['session', flipped('session', 9), 'ConstraintSeeds', 'session'],
    ['vault', flipped('vault', 9), 'ConstraintSeeds', 'vault'],
  ];
  it.each(steps.map(([name], place) => [name, place] as const))(
    'puts the %s before everything that follows it',
    (_name, place) => {
      const world = worldWithSession();
      const mutate = both(...steps.slice(0, place + 1).map((step) => step[1]));
      const [, , error, account] = steps[place] ?? [];
      if (error === undefined) throw new Error('no such step');
      expectError(attempt(world, mutate(transferUsdc(world), world)), error, account);
    },
  );

  it('answers a landed spend that it has landed, even when nothing may be spent any more', () => {
    const world = worldWithSession();
    const call = transferUsdc(world);
    run(world, call);
    run(world, setPaused(world, true));
    setClock(world.svm, defaultSettings(world).expiry + DAY);
    removeAccount(world.svm, tokenAddress(world.recipient));
    expectError(attempt(world, call), 'SpendAlreadyExecuted');
  });
});

function args(change: Partial<TransferArgs>): Mutator {
  return withArgs(() => change);
}

function clock(unixTimestamp: bigint): Mutator {
  return after((world) => setClock(world.svm, unixTimestamp));
}

function paused(): Mutator {
  return after((world) => run(world, setPaused(world, true)));
}

/** A spend of `first` that has landed before one of `second`, of the same number by default. */
function spent(first = 10n, second?: bigint): Mutator {
  return both(
    after((world) => run(world, transferUsdc(world, { amount: first }))),
    args(second === undefined ? {} : { amount: second, spend_seq: 2n }),
  );
}

function sessionU16(offset: number, value: number): Mutator {
  return after((world) =>
    editData(world.svm, world.session, (data) => data.writeUInt16LE(value, offset)),
  );
}

function sessionU64(offset: number, value: bigint): Mutator {
  return after((world) =>
    editData(world.svm, world.session, (data) => data.writeBigUInt64LE(value, offset)),
  );
}

function sessionOfAnotherKey(world: World): PublicKey {
  const session = sessionAddress(world.vault, world.stranger.publicKey);
  run(world, addSession({ ...world, sessionKey: world.stranger, session }));
  return session;
}

function foreignMintAccount(world: World): PublicKey {
  const mint = world.stranger.publicKey;
  setMint(world.svm, mint);
  const address = foreignTokenAddress(world.recipient, mint);
  return setTokenAccount(world.svm, world.recipient, 0n, { address, mint });
}
