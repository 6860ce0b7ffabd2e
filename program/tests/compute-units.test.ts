import { readFileSync } from 'node:fs';
import type { PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import {
  addSession,
  closeVault,
  initVault,
  initYield,
  migrateVault,
  ownerWithdraw,
  revokeSession,
  setMaxDeployedFraction,
  setPaused,
  sweepLamports,
  sweepTokenAccount,
  transferUsdc,
  updateSessionAllowlist,
  updateSessionLimits,
  yieldDeposit,
  yieldWithdraw,
} from './support/calls.ts';
import { type Call, run } from './support/call.ts';
import { tokenBump, USDC_MINT } from './support/chain.ts';
import { makeReceiver } from './support/every-instruction.ts';
import { reserveAccounts } from './support/reserve.ts';
import { measuredTransfers } from './support/transfer-states.ts';
import { withVersion1 } from './support/version-1.ts';
import {
  emptyWorld,
  wallets,
  type World,
  worldBeforeYield,
  worldWithEmptyVault,
  worldWithFundedOwner,
  worldWithReserve,
  worldWithSession,
  worldWithVault,
} from './support/world.ts';
import { worldWithInterest } from './support/yield-world.ts';

/** The cost depends on the bumps of the addresses, so several wallets are measured. */
const WALLETS = 24;

/** Most units of a transfer in the state that is typical, and in any state. */
const TYPICAL_TRANSFER = 4_300;
const ANY_TRANSFER = 5_200;
/** Instructions whose cost depends on how many bumps they try. */
const SEARCHING = ['yield_deposit', 'yield_withdraw'];
const TABLE_FILE = new URL('../compute-units.json', import.meta.url);

type Measured = readonly [
  /** The instruction, then a comma and the variant. */
  name: string,
  world: (label: string) => World,
  call: (world: World) => Call,
  /** Wallets and mints of the associated addresses whose bump the program searches. */
  found?: (world: World) => readonly (readonly [PublicKey, PublicKey])[],
];

const withSession: Measured[1] = (label) => worldWithSession({}, label);
const withInterest: Measured[1] = (label) => worldWithInterest(true, label);
/** The owner can receive collateral, and there is something of everything to sweep. */
const withReceiver: Measured[1] = (label) => {
  const world = withInterest(label);
  makeReceiver(world);
  return world;
};
const ofYield: Measured[3] = ({ yieldAuthority }) => [
  [yieldAuthority, USDC_MINT],
  [yieldAuthority, reserveAccounts.reserve_collateral_mint],
];
const part = { amount: 30n, collateral_amount: 20n, spend_seq: 200n };

const measured: readonly Measured[] = [
  ['init_vault', emptyWorld, (w) => initVault(w)],
  ['init_yield', worldBeforeYield, initYield],
  ['add_session, 10 recipients', worldWithVault, (w) => addSession(w, { recipients: wallets(10) })],
  ['update_session_allowlist, 10', withSession, (w) => updateSessionAllowlist(w, wallets(10))],
  ['update_session_limits', withSession, (w) => updateSessionLimits(w)],
  ['revoke_session', withSession, revokeSession],
  ['set_max_deployed_fraction', withSession, (w) => setMaxDeployedFraction(w, 5_000)],
  ['set_paused', withSession, (w) => setPaused(w, true)],
  ['migrate_vault', (label) => withVersion1(worldWithVault(label)), migrateVault],
  ['close_vault', worldWithEmptyVault, closeVault],
  ['owner_withdraw', worldWithFundedOwner, (w) => ownerWithdraw(w)],
  ['sweep_token_account, collateral', withReceiver, (w) => sweepTokenAccount(w, { close: true })],
  ['sweep_lamports', withReceiver, sweepLamports],
  ['yield_deposit, all taken', worldWithReserve, (w) => yieldDeposit(w), ofYield],
  [
    'yield_deposit, a rest comes back',
    withInterest,
    (w) => yieldDeposit(w, { spend_seq: 200n }),
    ofYield,
  ],
  ['yield_withdraw', withInterest, (w) => yieldWithdraw(w, part), ofYield],
];

interface Row {
  readonly instruction: string;
  readonly name: string;
  /** One per wallet; `tries` counts the bumps tried beyond the first of each address. */
  readonly costs: readonly { readonly units: number; readonly tries: number }[];
}

const rows = measured.map(([name, world, call, found]): Row => {
  const costs = Array.from({ length: WALLETS }, (_, place) => {
    const one = world(`-${place}`);
    const { computeUnits } = run(one, call(one));
    const tries = (found?.(one) ?? []).map(([wallet, mint]) => 255 - tokenBump(wallet, mint));
    return { units: computeUnits, tries: tries.reduce((sum, more) => sum + more, 0) };
  });
  return { instruction: name.split(',')[0] ?? name, name, costs };
});

const transfers = measuredTransfers();
const TYPICAL_STATE = 'same hour, 1 ahead, after 0 recipients';

describe('compute units', () => {
  it('of a transfer stay below their limits, with both events and the token program', () => {
    console.log(printed());
    const { typical, units } = transferUnits();
    expect(typical).toBeLessThanOrEqual(TYPICAL_TRANSFER);
    expect(units).toBeLessThanOrEqual(ANY_TRANSFER);
  });

  it('of a transfer are the same for recipients of every bump', () => {
    const costs = Array.from({ length: WALLETS }, (_, place) => {
      const world = worldWithSession({}, `-${place}`);
      const { computeUnits } = run(world, transferUsdc(world));
      return { computeUnits, bump: tokenBump(world.recipient) };
    });
    expect(new Set(costs.map(({ bump }) => bump)).size).toBeGreaterThan(3);
    expect(new Set(costs.map(({ computeUnits }) => computeUnits)).size).toBe(1);
  });

  // The table describes the committed artifact, so another build is not compared.
  it.skipIf(process.env['AGENT_WALLET_SO'] !== undefined)(
    'equal compute-units.json, the source of the compute limits of transfers',
    () => {
      const table: unknown = JSON.parse(readFileSync(TABLE_FILE, 'utf8'));
      expect(table, `compute-units.json should be ${JSON.stringify(tableNow())}`).toEqual(
        tableNow(),
      );
    },
  );

  it.each(SEARCHING)('of %s grow by the same amount per bump tried', (name) => {
    const { units, unitsPerBump } = costOf(name);
    const costs = rows
      .filter(({ instruction }) => instruction === name)
      .flatMap((row) => row.costs);
    expect(new Set(costs.map(({ tries }) => tries)).size).toBeGreaterThan(3);
    for (const cost of costs) {
      expect(cost.units).toBeLessThanOrEqual(units + unitsPerBump * cost.tries);
    }
  });
});

/**
 * Cost of an instruction when each address has bump 255, and per bump below; the maximum over its
 * rows.
 */
function costOf(name: string): { units: number; unitsPerBump: number } {
  const lines = rows.filter(({ instruction }) => instruction === name).map(lineThrough);
  return {
    units: Math.max(...lines.map(({ units }) => units)),
    unitsPerBump: Math.max(...lines.map(({ unitsPerBump }) => unitsPerBump)),
  };
}

function lineThrough({ costs }: Row): { units: number; unitsPerBump: number } {
  const sorted = costs.toSorted((a, b) => a.tries - b.tries);
  const [cheapest, dearest] = [sorted[0], sorted.at(-1)];
  if (cheapest === undefined || dearest === undefined) throw new RangeError('nothing measured');
  const unitsPerBump = Math.ceil(
    (dearest.units - cheapest.units) / (dearest.tries - cheapest.tries),
  );
  return { units: Math.max(...sorted.map((c) => c.units - unitsPerBump * c.tries)), unitsPerBump };
}

function tableNow(): Record<string, unknown> {
  const most = rows.map(({ instruction, costs }) => [instruction, { units: mostOf(costs) }]);
  const searching = SEARCHING.map((name) => [name, costOf(name)]);
  return Object.fromEntries([...most, ['transfer_usdc', transferUnits()], ...searching]);
}

function mostOf(costs: Row['costs']): number {
  return Math.max(...costs.map(({ units }) => units));
}

/** Distribution over the states of a session: the dearest, the cheapest, and a usual one. */
function transferUnits(): { units: number; least: number; typical: number } {
  const costs = transfers.map(({ units }) => units);
  const typical = transfers.find(({ name }) => name === TYPICAL_STATE)?.units;
  if (typical === undefined) throw new RangeError(`no state ${TYPICAL_STATE}`);
  return { units: Math.max(...costs), least: Math.min(...costs), typical };
}

function printed(): string {
  const lines = rows.map(({ name, costs }) => {
    const least = Math.min(...costs.map(({ units }) => units));
    return `${name.padEnd(40)}${String(least).padStart(8)}${String(mostOf(costs)).padStart(8)}`;
  });
  const head = `${'compute units'.padEnd(40)}${'min'.padStart(8)}${'max'.padStart(8)}`;
  return ['', head, ...lines, ''].join('\n');
}
