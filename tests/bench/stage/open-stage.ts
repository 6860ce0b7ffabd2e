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
import { createHttpOwner } from '../../support/http/http-owner.ts';
import { atRest, findDisagreements, type Purse } from '../../support/system/agreement.ts';
import { createLaneFixture, type LaneFixture } from '../../support/system/lane-fixture.ts';
import type { Agent, Target } from '../load/agents.ts';
import { COUNTING_SETTINGS, stopCounting } from '../measure/counts.ts';

const FUNDS = 100_000_000_000n;
const SESSIONS_AT_ONCE = 20;
const REST_TIMEOUT_MS = 240_000;

export type StageOptions = {
  readonly name: string;
  readonly wallets: number;
  readonly sessionsEach: number;
  readonly system?: StartSystemOptions;
};

export type Stage = AsyncDisposable &
  Target & {
    readonly system: System;
    readonly fixture: LaneFixture;
    readonly purses: readonly Purse[];
    /** Waits until no spend is open. */
    readonly rest: () => Promise<void>;
    readonly countConfirmed: () => Promise<number>;
    /** What rows, audit log and chain disagree about, in sentences; at rest. */
    readonly findDisagreements: () => Promise<readonly string[]>;
  };

const countRow = z.object({ count: z.number() });

/** The agents come in turns of the wallets, so that any part of them is spread over all wallets. */
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
  const purses: Purse[] = [];
  const byWallet: Agent[][] = [];
  for (let wallet = 0; wallet < options.wallets; wallet += 1) {
    const recipient = await fixture.createRecipient();
    const owner = await createHttpOwner(system, fixture, FUNDS);
    const { walletId, vaultUsdcAta } = owner;
    purses.push({ walletId, vaultUsdcAta, funds: FUNDS });
    const agents: Agent[] = [];
    for (let made = 0; made < options.sessionsEach; made += SESSIONS_AT_ONCE) {
      const count = Math.min(SESSIONS_AT_ONCE, options.sessionsEach - made);
      const sessions = Array.from({ length: count }, () =>
        owner.createSession({ recipients: [recipient] }),
      );
      agents.push(...(await Promise.all(sessions)).map(({ apiKey }) => ({ apiKey, recipient })));
    }
    byWallet.push(agents);
  }
  const agents = Array.from({ length: options.sessionsEach }, (_, place) =>
    byWallet.flatMap((own) => own[place] ?? []),
  ).flat();
  const all = stack.move();
  return {
    system,
    fixture,
    purses,
    agents,
    url: system.urls.api,
    rest: async () => {
      for (const { walletId } of purses) await atRest(fixture, walletId, REST_TIMEOUT_MS);
    },
    countConfirmed: () =>
      fixture.db.oneFirst(sql.type(countRow)`
        select count(*)::int as count from spend where status in ('confirmed', 'finalized')
      `),
    findDisagreements: async () => {
      const found: string[] = [];
      for (const purse of purses) found.push(...(await findDisagreements(fixture, purse)));
      return found;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
