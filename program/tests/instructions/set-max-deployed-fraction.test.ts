import { describe, expect, it } from 'vitest';
import { type Call, run } from '../support/call.ts';
import { setMaxDeployedFraction, setPaused } from '../support/calls.ts';
import { withArgs } from '../support/mutators.ts';
import { expectEvent, itChecksInOrder, itRefuses } from '../support/expect.ts';
import { failing, faulty } from '../support/faults.ts';
import {
  firstChecksOfGrant,
  refusalsOfArguments,
  refusalsOfDeadline,
  refusalsOfOwnedVault,
} from '../support/refusals.ts';
import { read, type World, worldWithVault } from '../support/world.ts';

describe('set_max_deployed_fraction', () => {
  it.each([0, 1, 9_999, 10_000])(
    'sets %i basis points and emits the event in the log and as a self-call',
    (bp) => {
      const world = worldWithVault();
      const before = read(world, 'Vault', world.vault);
      const outcome = run(world, setMaxDeployedFraction(world, bp));
      expect(outcome.logs[1]).toBe('Program log: Instruction: SetMaxDeployedFraction');
      expect(read(world, 'Vault', world.vault)).toEqual({
        ...before,
        max_deployed_fraction_bp: bp,
      });
      const vault = world.vault.toBase58();
      expectEvent(outcome, 'MaxDeployedFractionSet', { vault, max_deployed_fraction_bp: bp });
    },
  );

  it('works while the vault is paused', () => {
    const world = worldWithVault();
    run(world, setPaused(world, true), setMaxDeployedFraction(world, 1));
    expect(read(world, 'Vault', world.vault)).toMatchObject({ max_deployed_fraction_bp: 1 });
  });

  itRefuses(worldWithVault, halve, [
    ...refusalsOfOwnedVault,
    ...refusalsOfArguments,
    ...refusalsOfDeadline,
    ...faulty('vault', 'readonly'),
    ...failing('InvalidFraction', {
      'the fraction is above the whole': withArgs({ max_deployed_fraction_bp: 10_001 }),
      'the fraction has all bits set': withArgs({ max_deployed_fraction_bp: 0xffff }),
    }),
  ]);

  itChecksInOrder(worldWithVault, halve, [
    ['fraction', withArgs({ max_deployed_fraction_bp: 10_001 }), 'InvalidFraction'],
    ...firstChecksOfGrant,
  ]);
});

function halve(world: World): Call {
  return setMaxDeployedFraction(world, 5_000);
}
