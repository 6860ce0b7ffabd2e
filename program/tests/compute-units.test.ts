import { describe, expect, it } from 'vitest';
import {
  addSession,
  type Call,
  initVault,
  revokeSession,
  run,
  setPaused,
  transferUsdc,
  updateSessionAllowlist,
} from './support/calls.ts';
import { keypair, NOW, setClock } from './support/chain.ts';
import { emptyWorld, type World, worldWithSession, worldWithVault } from './support/world.ts';

/** The cost depends on the bumps of the addresses, so several wallets are measured. */
const WALLETS = 12;
const TEN_RECIPIENTS = Array.from({ length: 10 }, (_, place) => keypair(`w ${place}`).publicKey);

const TRANSFER_LIMIT = 6_000;

interface Measured {
  readonly name: string;
  readonly world: (label: string) => World;
  readonly call: (world: World) => Call;
}

const measured: readonly Measured[] = [
  { name: 'init_vault', world: emptyWorld, call: (world) => initVault(world) },
  {
    name: 'add_session, 10 recipients',
    world: worldWithVault,
    call: (world) => addSession(world, { recipients: TEN_RECIPIENTS }),
  },
  {
    name: 'update_session_allowlist, 10',
    world: (label) => worldWithSession({}, label),
    call: (world) => updateSessionAllowlist(world, TEN_RECIPIENTS),
  },
  {
    name: 'revoke_session',
    world: (label) => worldWithSession({}, label),
    call: (world) => revokeSession(world),
  },
  {
    name: 'set_paused',
    world: (label) => worldWithSession({}, label),
    call: (world) => setPaused(world, true),
  },
  {
    name: 'transfer_usdc, 1 recipient',
    world: (label) => worldWithSession({}, label),
    call: (world) => transferUsdc(world),
  },
  {
    name: 'transfer_usdc, last of 10, a day later',
    world: lateWorld,
    call: (world) => transferUsdc(world, { spend_seq: 200n }),
  },
];

describe('compute units', () => {
  it(`of a transfer are at most ${TRANSFER_LIMIT}, both events and the token program included`, () => {
    const rows = measured.map(({ name, world, call }) => {
      const units = Array.from({ length: WALLETS }, (_, wallet) => {
        const one = world(`-${wallet}`);
        return run(one, call(one)).computeUnits;
      });
      return { name, min: Math.min(...units), max: Math.max(...units) };
    });
    console.log(table(rows));
    const transfers = rows.filter(({ name }) => name.startsWith('transfer_usdc'));
    expect(transfers).toHaveLength(2);
    for (const { max } of transfers) expect(max).toBeLessThanOrEqual(TRANSFER_LIMIT);
  });
});

/** A session with ten recipients that has spent before; the replay window moves far. */
function lateWorld(label: string): World {
  const { recipient } = emptyWorld(label);
  const world = worldWithSession({ recipients: [...TEN_RECIPIENTS.slice(1), recipient] }, label);
  run(world, transferUsdc(world));
  setClock(world.svm, NOW + 86_400n);
  return world;
}

function table(rows: { name: string; min: number; max: number }[]): string {
  const lines = rows.map(
    ({ name, min, max }) =>
      `${name.padEnd(40)}${String(min).padStart(8)}${String(max).padStart(8)}`,
  );
  const head = `${'compute units'.padEnd(40)}${'min'.padStart(8)}${'max'.padStart(8)}`;
  return ['', head, ...lines, ''].join('\n');
}
