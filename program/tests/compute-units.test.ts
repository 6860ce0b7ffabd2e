import { readFileSync } from 'node:fs';
import { ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import {
  addSession,
  type Call,
  initVault,
  ownerWithdraw,
  revokeSession,
  run,
  setMaxDeployedFraction,
  setPaused,
  transferUsdc,
  updateSessionAllowlist,
  updateSessionLimits,
} from './support/calls.ts';
import { keypair, NOW, setClock, setTokenAccount, USDC_MINT } from './support/chain.ts';
import { emptyWorld, type World, worldWithSession, worldWithVault } from './support/world.ts';

/** The cost depends on the bumps of the addresses, so several wallets are measured. */
const WALLETS = 24;
const TEN_RECIPIENTS = Array.from({ length: 10 }, (_, place) => keypair(`w ${place}`).publicKey);

const TRANSFER_LIMIT = 6_000;
const TABLE_FILE = new URL('../compute-units.json', import.meta.url);

interface Measured {
  readonly instruction: string;
  readonly name: string;
  readonly world: (label: string) => World;
  readonly call: (world: World) => Call;
}

const measured: readonly Measured[] = [
  {
    instruction: 'init_vault',
    name: 'init_vault',
    world: emptyWorld,
    call: (world) => initVault(world),
  },
  {
    instruction: 'add_session',
    name: 'add_session, 10 recipients',
    world: worldWithVault,
    call: (world) => addSession(world, { recipients: TEN_RECIPIENTS }),
  },
  {
    instruction: 'update_session_allowlist',
    name: 'update_session_allowlist, 10',
    world: (label) => worldWithSession({}, label),
    call: (world) => updateSessionAllowlist(world, TEN_RECIPIENTS),
  },
  {
    instruction: 'update_session_limits',
    name: 'update_session_limits',
    world: (label) => worldWithSession({}, label),
    call: (world) => updateSessionLimits(world),
  },
  {
    instruction: 'revoke_session',
    name: 'revoke_session',
    world: (label) => worldWithSession({}, label),
    call: (world) => revokeSession(world),
  },
  {
    instruction: 'set_max_deployed_fraction',
    name: 'set_max_deployed_fraction',
    world: (label) => worldWithSession({}, label),
    call: (world) => setMaxDeployedFraction(world, 5_000),
  },
  {
    instruction: 'set_paused',
    name: 'set_paused',
    world: (label) => worldWithSession({}, label),
    call: (world) => setPaused(world, true),
  },
  {
    instruction: 'owner_withdraw',
    name: 'owner_withdraw',
    world: worldWithFundedOwner,
    call: (world) => ownerWithdraw(world),
  },
  {
    instruction: 'transfer_usdc',
    name: 'transfer_usdc, 1 recipient',
    world: (label) => worldWithSession({}, label),
    call: (world) => transferUsdc(world),
  },
  {
    instruction: 'transfer_usdc',
    name: 'transfer_usdc, last of 10, a day later',
    world: lateWorld,
    call: (world) => transferUsdc(world, { spend_seq: 200n }),
  },
];

interface Row {
  readonly instruction: string;
  readonly name: string;
  /** One per wallet. */
  readonly costs: readonly { readonly units: number; readonly recipientBump: number }[];
}

const rows = measured.map(({ instruction, name, world, call }): Row => {
  const costs = Array.from({ length: WALLETS }, (_, wallet) => {
    const one = world(`-${wallet}`);
    const { computeUnits } = run(one, call(one));
    return { units: computeUnits, recipientBump: tokenAccountBump(one.recipient) };
  });
  return { instruction, name, costs };
});

describe('compute units', () => {
  it(`of a transfer are at most ${TRANSFER_LIMIT}, both events and the token program included`, () => {
    console.log(printed());
    const transfers = rows.filter(({ instruction }) => instruction === 'transfer_usdc');
    expect(transfers).toHaveLength(2);
    for (const { costs } of transfers) expect(mostOf(costs)).toBeLessThanOrEqual(TRANSFER_LIMIT);
  });

  // The table is about the committed artifact, so another build is not compared with it.
  it.skipIf(process.env['AGENT_WALLET_SO'] !== undefined)(
    'are what compute-units.json says, which the limits of transfers are made from',
    () => {
      const table: unknown = JSON.parse(readFileSync(TABLE_FILE, 'utf8'));
      expect(table, `compute-units.json should be ${JSON.stringify(tableNow())}`).toEqual(
        tableNow(),
      );
    },
  );

  it('of a transfer grow by the same with every bump that the recipient address needs', () => {
    const { units, unitsPerBump } = transferCost();
    const transfers = rows.filter(({ instruction }) => instruction === 'transfer_usdc');
    const costs = transfers.flatMap((row) => row.costs);
    expect(new Set(costs.map(({ recipientBump }) => recipientBump)).size).toBeGreaterThan(3);
    for (const cost of costs) {
      expect(cost.units).toBeLessThanOrEqual(units + unitsPerBump * (255 - cost.recipientBump));
    }
  });
});

/** What a transfer costs to a recipient whose bump is 255, and for each one lower. */
function transferCost(): { units: number; unitsPerBump: number } {
  const row = rows.findLast(({ instruction }) => instruction === 'transfer_usdc');
  const costs = (row?.costs ?? []).toSorted((a, b) => b.recipientBump - a.recipientBump);
  const [cheapest, dearest] = [costs[0], costs.at(-1)];
  if (cheapest === undefined || dearest === undefined) throw new RangeError('nothing measured');
  const bumps = cheapest.recipientBump - dearest.recipientBump;
  const unitsPerBump = Math.ceil((dearest.units - cheapest.units) / bumps);
  const bases = costs.map((cost) => cost.units - unitsPerBump * (255 - cost.recipientBump));
  return { units: Math.max(...bases), unitsPerBump };
}

function tableNow(): Record<string, unknown> {
  const most = rows.map(({ instruction, costs }) => [instruction, { units: mostOf(costs) }]);
  return { ...Object.fromEntries(most), transfer_usdc: transferCost() };
}

function mostOf(costs: Row['costs']): number {
  return Math.max(...costs.map(({ units }) => units));
}

function tokenAccountBump(wallet: PublicKey): number {
  const seeds = [wallet, TOKEN_PROGRAM_ID, USDC_MINT].map((key) => key.toBuffer());
  return PublicKey.findProgramAddressSync(seeds, ASSOCIATED_TOKEN_PROGRAM_ID)[1];
}

function worldWithFundedOwner(label: string): World {
  const world = worldWithVault(label);
  setTokenAccount(world.svm, world.owner.publicKey, 0n);
  return world;
}

/** A session with ten recipients that has spent before; the replay window moves far. */
function lateWorld(label: string): World {
  const { recipient } = emptyWorld(label);
  const world = worldWithSession({ recipients: [...TEN_RECIPIENTS.slice(1), recipient] }, label);
  run(world, transferUsdc(world));
  setClock(world.svm, NOW + 86_400n);
  return world;
}

function printed(): string {
  const lines = rows.map(({ name, costs }) => {
    const least = Math.min(...costs.map(({ units }) => units));
    return `${name.padEnd(40)}${String(least).padStart(8)}${String(mostOf(costs)).padStart(8)}`;
  });
  const head = `${'compute units'.padEnd(40)}${'min'.padStart(8)}${'max'.padStart(8)}`;
  return ['', head, ...lines, ''].join('\n');
}
