/** A system of ours with wallets and sessions, ready for a load. */
import { join } from 'node:path';
import { appProcesses } from '@agent-wallet/local-system/system/app-processes.ts';
import { LOCAL_DIR } from '@agent-wallet/local-system/system/running-system.ts';
import {
  startSystem,
  type StartSystemOptions,
  type System,
} from '@agent-wallet/local-system/system/start-system.ts';
import { sql } from 'slonik';
import { z } from 'zod';
import { createHttpOwner, type HttpOwner } from '../../support/http/http-owner.ts';
import { atRest, findDisagreements } from '../../support/system/agreement.ts';
import { createLaneFixture, type LaneFixture } from '../../support/system/lane-fixture.ts';
import { type Agent, inTurns, type Target } from '../load/agents.ts';
import { COUNTING_SETTINGS, stopCounting } from '../measure/counts.ts';

const FUNDS = 100_000_000_000n;
const WALLETS_AT_ONCE = 10;
const REST_TIMEOUT_MS = 600_000;

export type StageOptions = {
  readonly name: string;
  readonly wallets: number;
  readonly sessionsEach: number;
  readonly system?: StartSystemOptions;
};

export type Wallet = {
  readonly owner: HttpOwner;
  readonly agents: readonly Agent[];
};

export type Stage = AsyncDisposable &
  Target & {
    readonly system: System;
    readonly fixture: LaneFixture;
    /** The wallets of its options; the agents take turns over them. */
    readonly wallets: readonly Wallet[];
    /** Adds wallets, which are none of the above. */
    readonly addWallets: (count: number, sessionsEach: number) => Promise<readonly Wallet[]>;
    /** Waits until no spend is open. */
    readonly rest: () => Promise<void>;
    readonly countConfirmed: () => Promise<number>;
    /** What rows, audit log and chain disagree about, in sentences; at rest. */
    readonly findDisagreements: () => Promise<readonly string[]>;
  };

const countRow = z.object({ count: z.number() });

export async function openStage(options: StageOptions): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const system = stack.use(
    await startSystem({
      dataDir: join(LOCAL_DIR, 'bench', options.name),
      postgresSettings: COUNTING_SETTINGS,
      // Without the dashboard, which no load uses.
      processes: appProcesses,
      onDeath: (_name, sentence) => {
        console.error(sentence);
        process.exitCode = 1;
      },
      ...options.system,
    }),
  );
  await stopCounting(system.databaseUrl);
  const fixture = stack.use(await createLaneFixture(system));
  const made: Wallet[] = [];

  async function addWallet(sessions: number): Promise<Wallet> {
    const recipient = await fixture.createRecipient();
    const owner = await createHttpOwner(system, fixture, FUNDS);
    const agents: Agent[] = [];
    for (let count = 0; count < sessions; count += 1) {
      const { apiKey } = await owner.createSession({ recipients: [recipient] });
      agents.push({ apiKey, recipient });
    }
    const wallet = { owner, agents };
    made.push(wallet);
    return wallet;
  }
  const addWallets: Stage['addWallets'] = (count, sessionsEach) =>
    atMost(WALLETS_AT_ONCE, count, () => addWallet(sessionsEach));

  const wallets = await addWallets(options.wallets, options.sessionsEach);
  const urls = Object.entries(system.urls.processes).filter(([name]) => name.startsWith('api'));
  const all = stack.move();
  return {
    system,
    fixture,
    wallets,
    addWallets,
    agents: inTurns(wallets),
    urls: urls.map(([, url]) => url),
    rest: async () => {
      for (const { owner } of made) await atRest(fixture, owner.walletId, REST_TIMEOUT_MS);
    },
    countConfirmed: () =>
      fixture.db.oneFirst(sql.type(countRow)`
        select count(*)::int as count from spend where status in ('confirmed', 'finalized')
      `),
    findDisagreements: async () => {
      const found: string[] = [];
      for (const { owner } of made) {
        found.push(...(await findDisagreements(fixture, { ...owner, funds: FUNDS })));
      }
      return found;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Runs a task `count` times, `width` of them at a time. */
async function atMost<T>(width: number, count: number, task: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  const numbers = Array.from({ length: count }, (_, n) => n).values();
  const work = async (): Promise<void> => {
    for (const _ of numbers) results.push(await task());
  };
  await Promise.all(Array.from({ length: width }, work));
  return results;
}
