/** Spends settle with the hints of a node's WebSocket, and without any. */
import { appProcesses } from '@agent-wallet/local-system/system/app-processes.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';

/** No node listens there. */
const NOWHERE = 'ws://127.0.0.1:1';

describe.each([
  { from: 'a node that tells landings', env: {}, areUsed: true },
  { from: 'no node', env: { WS_URL: NOWHERE }, areUsed: false },
])('hints from $from', ({ env, areUsed }) => {
  const system = useSystem({
    env: { 'confirm-worker': env },
    processes: (surroundings) => appProcesses(surroundings).filter(({ role }) => role !== 'api'),
  });
  let fixture: LaneFixture;
  beforeAll(async () => {
    fixture = await createLaneFixture(system());
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  async function metric(name: string): Promise<number> {
    const reply = await fetch(`${system().urls.metrics['confirm-worker']}/metrics`);
    const found = new RegExp(`^${name} (\\d+)$`, 'm').exec(await reply.text());
    return Number(found?.[1]);
  }

  test('every spend is confirmed', async () => {
    const wallet = await fixture.createWallet(10_000_000n);
    const recipient = await fixture.createRecipient();
    const session = await fixture.createSession(wallet, { recipients: [recipient] });
    const spendIds: string[] = [];
    for (let amount = 1n; amount <= 5n; amount += 1n) {
      spendIds.push(await fixture.request(wallet, session, { recipient, amount }));
    }
    for (const { status, attempt } of await fixture.settled(spendIds)) {
      expect(['confirmed', 'finalized']).toContain(status);
      expect(attempt).toBe(1);
    }
    expect(await metric('agent_wallet_landing_hints_live')).toBe(areUsed ? 1 : 0);
    expect((await metric('agent_wallet_landing_hints_used_total')) > 0).toBe(areUsed);
  });
});
