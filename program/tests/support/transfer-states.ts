import { run } from './call.ts';
import { transferUsdc } from './calls.ts';
import { DAY, HOUR, NOW, setClock } from './chain.ts';
import { emptyWorld, wallets, type World, worldWithSession } from './world.ts';

/** Numbers used before the measured transfer. */
const USED = 300n;
/** Distances between the highest number used and that of the measured transfer. */
const JUMPS = [1n, 2n, 63n, 64n, 255n, 256n, 1_000n];

/** What a session spent before, and how many seconds later it spends again. */
const WINDOWS: readonly (readonly [name: string, hours: number, later: bigint])[] = [
  ['no spend before', 0, 0n],
  ['same hour', 1, 0n],
  ['next hour', 1, HOUR],
  ['12 hours later', 1, 12n * HOUR],
  ['24 hours later', 1, DAY],
  ['25 hours later', 1, 25n * HOUR],
  ['spends in each of 25 hours', 25, 0n],
  ['an hour after those', 25, HOUR],
];

interface TransferState {
  readonly name: string;
  /** Compute units of a transfer in this state. */
  readonly units: number;
}

/** Transfers in each state of the windows, for the first and the last of ten recipients. */
export function measuredTransfers(): readonly TransferState[] {
  return [0, 9].flatMap((before) =>
    WINDOWS.flatMap(([window, hours, later]) =>
      JUMPS.map((jump): TransferState => {
        const { world, highest } = worldAfter(before, hours, later);
        const { computeUnits: units } = run(
          world,
          transferUsdc(world, { spend_seq: highest + jump }),
        );
        return { name: `${window}, ${jump} ahead, after ${before} recipients`, units };
      }),
    ),
  );
}

function worldAfter(
  recipientsBefore: number,
  hours: number,
  later: bigint,
): { world: World; highest: bigint } {
  const { recipient } = emptyWorld();
  const recipients = [...wallets(recipientsBefore), recipient];
  const world = worldWithSession({ recipients, daily_cap: 1_000n });
  for (let hour = 0; hour < hours; hour += 1) {
    setClock(world.svm, NOW + BigInt(hour) * HOUR);
    run(world, transferUsdc(world, { spend_seq: USED + BigInt(hour) }));
  }
  setClock(world.svm, NOW + BigInt(Math.max(0, hours - 1)) * HOUR + later);
  return { world, highest: hours === 0 ? 0n : USED + BigInt(hours - 1) };
}
