/** After a lost first send the same bytes are sent again, under the same signature. */
import { appProcesses } from '@agent-wallet/local-system/system/app-processes.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CUT,
  type Fate,
  type FaultProxy,
  FORWARD,
  type RpcCall,
  startFaultProxy,
} from '../support/rpc-proxy/fault-proxy.ts';
import { readSend } from '../support/rpc-proxy/sends.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';

const SPENDS = 5;

describe.each<{ readonly how: string; readonly fateOf: (signature: string) => Fate }>([
  { how: 'on a connection that breaks', fateOf: () => CUT },
  {
    how: 'after a node has taken it',
    fateOf: (signature) => ({ kind: 'answer', result: signature }),
  },
])('a first send that is lost $how', ({ fateOf }) => {
  const proxies: FaultProxy[] = [];
  let lost = 0;

  function loseFirst(call: RpcCall): Fate {
    const send = readSend(call);
    if (send === null || !send.isFirst) return FORWARD;
    lost += 1;
    return fateOf(send.signature);
  }

  const system = useSystem({
    processes: (surroundings) => appProcesses(surroundings).filter(({ role }) => role !== 'api'),
    rpcUrlFor: async (_name, chainRpcUrl) => {
      const proxy = await startFaultProxy(chainRpcUrl, loseFirst);
      proxies.push(proxy);
      return proxy.url;
    },
  });
  let fixture: LaneFixture;
  beforeAll(async () => {
    fixture = await createLaneFixture(system());
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await Promise.all(proxies.map((proxy) => proxy[Symbol.asyncDispose]()));
  });

  test('lands with its first signature', async () => {
    const wallet = await fixture.createWallet(1_000_000n);
    const recipient = await fixture.createRecipient();
    const session = await fixture.createSession(wallet, { recipients: [recipient] });
    for (let amount = 1n; amount <= SPENDS; amount += 1n) {
      const spendId = await fixture.request(wallet, session, { recipient, amount });
      const [spend] = await fixture.settled([spendId]);
      expect(['confirmed', 'finalized']).toContain(spend?.status);
      expect(spend).toMatchObject({ attempt: 1, code: null });
    }
    expect(lost).toBe(SPENDS);
  });
});
