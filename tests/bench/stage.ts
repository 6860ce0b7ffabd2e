/** A system with wallets and sessions for one run. */
import { join } from 'node:path';
import { LOCAL_DIR } from '@agent-wallet/local-system/system/running-system.ts';
import { startSystem, type System } from '@agent-wallet/local-system/system/start-system.ts';
import type { Purse } from '../support/system/agreement.ts';
import { createHttpOwner } from '../support/http/http-owner.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';

const FUNDS = 100_000_000_000n;
/** Concurrent owner transactions, which are not measured. */
const SESSIONS_AT_ONCE = 10;

/** An agent's key and the recipient that it pays. */
export type Agent = { readonly apiKey: string; readonly recipient: string };

export type Stage = AsyncDisposable & {
  readonly system: System;
  readonly fixture: LaneFixture;
  readonly purses: readonly Purse[];
  readonly agents: readonly Agent[];
};

export async function openStage(options: {
  readonly name: string;
  readonly wallets: number;
  readonly sessionsEach: number;
  readonly laneDepth: number;
}): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const system = stack.use(
    await startSystem({
      dataDir: join(LOCAL_DIR, 'bench', options.name),
      env: { 'tx-worker': { LANE_DEPTH: String(options.laneDepth) } },
      onDeath: (_name, sentence) => {
        console.error(sentence);
        process.exitCode = 1;
      },
    }),
  );
  const fixture = stack.use(await createLaneFixture(system));
  const purses: Purse[] = [];
  const agents: Agent[] = [];
  for (let wallet = 0; wallet < options.wallets; wallet += 1) {
    const recipient = await fixture.createRecipient();
    const owner = await createHttpOwner(system, fixture, FUNDS);
    const { walletId, vaultUsdcAta } = owner;
    purses.push({ walletId, vaultUsdcAta, funds: FUNDS });
    for (let made = 0; made < options.sessionsEach; made += SESSIONS_AT_ONCE) {
      const count = Math.min(SESSIONS_AT_ONCE, options.sessionsEach - made);
      const sessions = Array.from({ length: count }, () =>
        owner.createSession({ recipients: [recipient] }),
      );
      agents.push(...(await Promise.all(sessions)).map(({ apiKey }) => ({ apiKey, recipient })));
    }
  }
  const all = stack.move();
  return { system, fixture, purses, agents, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
