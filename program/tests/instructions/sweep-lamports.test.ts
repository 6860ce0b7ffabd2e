import type { PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { after } from '../support/mutators.ts';
import { attempt, run } from '../support/call.ts';
import { sweepLamports, transferUsdc } from '../support/calls.ts';
import { getAccount, setAccount } from '../support/chain.ts';
import { fullWorld } from '../support/every-instruction.ts';
import { expectError, expectEvent, itRefuses } from '../support/expect.ts';
import { another, failing, faulty, swapped } from '../support/faults.ts';
import { paused, refusalsOfOwnedVault } from '../support/refusals.ts';
import { read, strangersWorld, type World, worldWithVault } from '../support/world.ts';

const swept = after((w) => run(w, sweepLamports(w)));

describe('sweep_lamports', () => {
  it.each([
    ['the vault alone', 7n, 0n],
    ['the yield authority alone', 0n, 2_000_000_000n],
    ['both', 1n, 890_880n],
  ])('pays the owner all but the rent and emits the event: %s', (_what, spare, ofYield) => {
    const world = worldWithVault();
    const rent = lamports(world).vault;
    setLamports(world, rent + spare, ofYield);
    const [vault, before] = [read(world, 'Vault', world.vault), lamports(world)];
    const outcome = run(world, sweepLamports(world));
    expect(outcome.logs[1]).toBe('Program log: Instruction: SweepLamports');
    const owner = before.owner + spare + ofYield;
    expect(lamports(world)).toEqual({ owner, vault: rent, yieldAuthority: 0n });
    expect(read(world, 'Vault', world.vault)).toEqual(vault);
    expectEvent(outcome, 'LamportsSwept', {
      vault: world.vault.toBase58(),
      owner: world.owner.publicKey.toBase58(),
      amount: spare + ofYield,
    });
  });

  it('works while the vault is paused, and with yield initialized', () => {
    const world = fullWorld();
    run(world, paused(sweepLamports(world), world));
    expect(lamports(world)).toMatchObject({ yieldAuthority: 0n });
  });

  it('takes nothing twice and leaves a vault that works', () => {
    const world = fullWorld();
    run(world, sweepLamports(world));
    expectError(attempt(world, sweepLamports(world)), 'InvalidAmount');
    run(world, transferUsdc(world, { spend_seq: 7n }));
  });

  it('takes nothing from a vault whose lamports no longer pay the rent', () => {
    const world = worldWithVault();
    setLamports(world, 1_000n, 5n);
    run(world, sweepLamports(world));
    expect(lamports(world)).toMatchObject({ vault: 1_000n, yieldAuthority: 0n });
  });

  itRefuses(fullWorld, sweepLamports, [
    ...refusalsOfOwnedVault,
    ...faulty('owner', 'readonly'),
    ...faulty('vault', 'readonly'),
    ...faulty('yield_authority', 'readonly'),
    ...swapped('yield_authority', 'ConstraintSeeds', {
      'that of another vault': (w) => strangersWorld(w).yieldAuthority,
      'the vault': (w) => w.vault,
      'a session': (w) => w.session,
    }),
    ...another('ConstraintSeeds', 'yield_authority'),
    ...another('InvalidProgramId', 'system_program'),
    ...failing('InvalidAmount', { 'there is nothing beyond the rent': swept }),
  ]);
});

function lamports(world: World): Record<'owner' | 'vault' | 'yieldAuthority', bigint> {
  const of = (address: PublicKey): bigint => getAccount(world.svm, address)?.lamports ?? 0n;
  const { owner, vault, yieldAuthority } = world;
  return { owner: of(owner.publicKey), vault: of(vault), yieldAuthority: of(yieldAuthority) };
}

function setLamports(
  { svm, vault, yieldAuthority }: World,
  ofVault: bigint,
  ofYield: bigint,
): void {
  setAccount(svm, vault, { lamports: ofVault });
  setAccount(svm, yieldAuthority, { lamports: ofYield });
}
