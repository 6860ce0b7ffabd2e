import { setTimeout as delay } from 'node:timers/promises';
import { drawWhole } from '../../support/rpc-proxy/draw.ts';
import type { Disturb } from '../row.ts';
import type { World } from '../world/world.ts';

const BETWEEN_KILLS_MS = [300, 4_000] as const;
const RESTARTS = 20;
/** Past the lane's lease of 10 s. */
const STOPPED_MS = [10_500, 13_000] as const;
const BETWEEN_STOPS_MS = [500, 4_000] as const;

/** Restarts a process like a supervisor, again when it ends before it is ready. */
async function restartUntilReady(world: World, name: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await world.system.restart(name);
      return;
    } catch (error) {
      if (tries === RESTARTS) throw error;
      await delay(500);
    }
  }
}

/** Kills each process with SIGKILL at random moments of its own. */
export const killAtRandom: Disturb = async (world, _cast, { signal, seed }) => {
  await Promise.all(
    world.processNames.map(async (name) => {
      for (let n = 1; !signal.aborted; n += 1) {
        await delay(drawWhole(BETWEEN_KILLS_MS, seed, 'kill', name, n));
        if (signal.aborted) return;
        await world.system.kill(name, 'SIGKILL');
        world.countFault();
        await restartUntilReady(world, name);
      }
    }),
  );
};

/** Stops workers with SIGSTOP for longer than any lease, then continues them. */
export const stopAtRandom: Disturb = async (world, _cast, { signal, seed }) => {
  const workers = world.processNames.filter((name) => !name.startsWith('api'));
  await Promise.all(
    workers.map(async (name) => {
      for (let n = 1; !signal.aborted; n += 1) {
        await delay(drawWhole(BETWEEN_STOPS_MS, seed, 'between', name, n));
        if (signal.aborted) return;
        world.system.pause(name);
        world.countFault();
        try {
          await delay(drawWhole(STOPPED_MS, seed, 'stopped', name, n));
        } finally {
          world.system.resume(name);
        }
      }
    }),
  );
};
