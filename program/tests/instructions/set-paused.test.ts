import { describe, expect, it } from 'vitest';
import { type Call, run } from '../support/call.ts';
import { setPaused } from '../support/calls.ts';
import { withData } from '../support/mutators.ts';
import { expectEvent, itRefuses } from '../support/expect.ts';
import { failing, faulty } from '../support/faults.ts';
import {
  refusalsOfArguments,
  refusalsOfDeadline,
  refusalsOfOwnedVault,
} from '../support/refusals.ts';
import { read, type World, worldWithVault } from '../support/world.ts';

describe('set_paused', () => {
  it.each([
    [false, true],
    [true, true],
    [true, false],
    [false, false],
  ])('sets %s to %s and emits the event in the log and as a self-call', (before, paused) => {
    const world = worldWithVault();
    run(world, setPaused(world, before));
    const vault = read(world, 'Vault', world.vault);
    const outcome = run(world, setPaused(world, paused));
    expect(outcome.logs[1]).toBe('Program log: Instruction: SetPaused');
    expect(read(world, 'Vault', world.vault)).toEqual({ ...vault, paused });
    expectEvent(outcome, 'PausedSet', { vault: world.vault.toBase58(), paused });
  });

  itRefuses(worldWithVault, pause, [
    ...refusalsOfOwnedVault,
    ...refusalsOfArguments,
    ...faulty('vault', 'readonly'),
    ...failing('InstructionDidNotDeserialize', {
      'the argument is neither true nor false': withData((data) =>
        Buffer.concat([data.subarray(0, 8), Buffer.of(2), data.subarray(9)]),
      ),
    }),
  ]);

  itRefuses(worldWithVault, resume, refusalsOfDeadline);
});

function resume(world: World): Call {
  return setPaused(world, false);
}

function pause(world: World): Call {
  return setPaused(world, true);
}
