import { ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import {
  addSession,
  closeVault,
  ownerWithdraw,
  revokeSession,
  setPaused,
} from '../support/calls.ts';
import { after, both, edited, type Mutator, replaced, withArgs } from '../support/mutators.ts';
import { run } from '../support/call.ts';
import {
  FIRST_INDEX,
  getAccount,
  passSlots,
  setAccount,
  setTokenAccount,
  tokenAddress,
  U64_MAX,
  USDC_MINT,
} from '../support/chain.ts';
import { expectEvent, itChecksInOrder, itRefuses } from '../support/expect.ts';
import { another, failing, faulty } from '../support/faults.ts';
import {
  refusalsOfArguments,
  refusalsOfOwnedVault,
  refusalsOfTokenProgram,
} from '../support/refusals.ts';
import { reserveAccounts } from '../support/reserve.ts';
import { rentOf, withVersion1 } from '../support/version-1.ts';
import { type World, worldWithEmptyVault, worldWithFundedOwner } from '../support/world.ts';

const NEXT_INDEX_AT = 24;
const COLLATERAL_MINT = reserveAccounts.reserve_collateral_mint;

/** A session is open, and the call names the next index after it. */
const withOpenSession: Mutator = (_call, world) => {
  run(world, addSession(world));
  return closeVault(world);
};

describe('close_vault', () => {
  it('returns the rent of both accounts and emits the event in the log and as a self-call', () => {
    const world = worldWithEmptyVault();
    const before = lamportsAt(world, world.owner.publicKey);
    const outcome = run(world, closeVault(world));
    expect(outcome.logs[1]).toBe('Program log: Instruction: CloseVault');
    expect(getAccount(world.svm, world.vault)).toBeNull();
    expect(getAccount(world.svm, world.vaultTokenAccount)).toBeNull();
    const rent = rentOf(world, 104) + rentOf(world, 165);
    expect(lamportsAt(world, world.owner.publicKey)).toBe(before + rent);
    expectEvent(outcome, 'VaultClosed', {
      vault: world.vault.toBase58(),
      owner: world.owner.publicKey.toBase58(),
    });
  });

  it('returns lamports that third parties sent to both accounts', () => {
    const world = worldWithEmptyVault();
    for (const address of [world.vault, world.vaultTokenAccount])
      setAccount(world.svm, address, { lamports: 500_000_000n });
    const before = lamportsAt(world, world.owner.publicKey);
    run(world, closeVault(world));
    expect(lamportsAt(world, world.owner.publicKey)).toBe(before + 1_000_000_000n);
  });

  it('passes after the owner withdrew everything and revoked every session, also when paused', () => {
    const world = worldWithFundedOwner();
    run(world, addSession(world), setPaused(world, true));
    passSlots(world.svm, 1n);
    run(world, revokeSession(world), ownerWithdraw(world, U64_MAX), closeVault(world));
    expect(getAccount(world.svm, world.vault)).toBeNull();
  });

  it('passes although lamports lie at the addresses of the yield accounts', () => {
    const world = worldWithEmptyVault();
    for (const address of [world.transit, world.collateral])
      setAccount(world.svm, address, { lamports: 5n });
    run(world, closeVault(world));
    expect(getAccount(world.svm, world.vault)).toBeNull();
  });

  it('passes for a vault of version 1 that never had a session', () => {
    const world = withVersion1(worldWithEmptyVault());
    run(world, withNextIndex(0n)(closeVault(world), world));
    expect(getAccount(world.svm, world.vault)).toBeNull();
  });

  const tooNew = withNextIndex(FIRST_INDEX + 65_536n);
  const holdsOne = after((w) => setTokenAccount(w.svm, w.vault, 1n));

  itRefuses(worldWithEmptyVault, closeVault, [
    ...refusalsOfOwnedVault,
    ...refusalsOfArguments,
    ...faulty('owner', 'readonly'),
    ...faulty('vault', 'readonly'),
    ...faulty('vault_token_account', 'readonly', 'duplicate', 'missing', 'handedOver'),
    ...refusalsOfTokenProgram,
    ...another('ConstraintAssociated', 'transit_token_account', 'collateral_token_account'),
    ...failing(
      'ConstraintAssociated',
      {
        'the transit token account is at a lower bump, where nothing exists': replaced(
          'transit_token_account',
          (w) => lowerBump(w.yieldAuthority, USDC_MINT),
        ),
      },
      'transit_token_account',
    ),
    ...failing(
      'ConstraintAssociated',
      {
        'the collateral token account is at a lower bump, where nothing exists': replaced(
          'collateral_token_account',
          (w) => lowerBump(w.yieldAuthority, COLLATERAL_MINT),
        ),
      },
      'collateral_token_account',
    ),
    ...failing('SessionsOpen', {
      'a session is open': withOpenSession,
      'the vault is of version 1 and had a session': after((w) => void withVersion1(w)),
    }),
    ...failing('VaultNotEmpty', {
      'the vault holds one base unit': holdsOne,
      'one base unit is deployed': edited('vault', (data) => data.writeBigUInt64LE(1n, 16)),
      'the transit account exists': after((w) => setTokenAccount(w.svm, w.yieldAuthority, 0n)),
      'the collateral account exists': after((w) =>
        setTokenAccount(w.svm, w.yieldAuthority, 0n, {
          address: tokenAddress(w.yieldAuthority, COLLATERAL_MINT),
          mint: COLLATERAL_MINT,
        }),
      ),
    }),
    ...failing('VaultTooNew', {
      'its next index is the first of a vault of this slot': tooNew,
      'its next index is the largest': withNextIndex(U64_MAX),
    }),
    ...failing('SessionIndexMismatch', {
      'the next index is that after the next': withArgs({ next_session_index: FIRST_INDEX + 1n }),
      'the next index is zero': withArgs({ next_session_index: 0n }),
      'the next index is the largest': withArgs({ next_session_index: U64_MAX }),
      'a session was added and revoked after the signature': after((w) => {
        run(w, addSession(w));
        run(w, revokeSession(w));
      }),
      'the vault is of version 1 and the index is another': both(
        after((w) => void withVersion1(w)),
        withArgs({ next_session_index: FIRST_INDEX + 1n }),
      ),
    }),
  ]);

  itRefuses(worldOfThisSlot, closeVault, [
    ...failing('VaultTooNew', { 'it was created in this slot': (call) => call }),
  ]);

  itChecksInOrder(worldWithEmptyVault, closeVault, [
    ['indexes', tooNew, 'VaultTooNew'],
    ['balance', holdsOne, 'VaultNotEmpty'],
    ['sessions', edited('vault', (data) => data.writeBigUInt64LE(1n, 96)), 'SessionsOpen'],
    ['index', withArgs({ next_session_index: 0n }), 'SessionIndexMismatch'],
    ...another('InvalidProgramId', 'program'),
  ]);
});

/** The vault has this next index, and the call names it. */
function withNextIndex(next_session_index: bigint): Mutator {
  return both(
    edited('vault', (data) => data.writeBigUInt64LE(next_session_index, NEXT_INDEX_AT)),
    withArgs({ next_session_index }),
  );
}

function worldOfThisSlot(): World {
  const world = worldWithEmptyVault();
  passSlots(world.svm, -1n);
  return world;
}

function lamportsAt({ svm }: World, address: PublicKey): bigint {
  return getAccount(svm, address)?.lamports ?? 0n;
}

/** An address of the associated token program below the canonical bump. */
function lowerBump(wallet: PublicKey, mint: PublicKey): PublicKey {
  const seeds = [wallet.toBuffer(), TOKEN_PROGRAM_ID.toBuffer(), mint.toBuffer()];
  const program = ASSOCIATED_TOKEN_PROGRAM_ID;
  const [, canonical] = PublicKey.findProgramAddressSync(seeds, program);
  for (let bump = canonical - 1; bump > 0; bump -= 1) {
    try {
      return PublicKey.createProgramAddressSync([...seeds, Buffer.of(bump)], program);
    } catch {
      // On the curve, so not a program address.
    }
  }
  throw new RangeError('no lower bump');
}
