import { setTimeout as delay } from 'node:timers/promises';
import { Transaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { appProcesses } from '@agent-wallet/local-system/system/app-processes.ts';
import {
  CUT,
  type Fate,
  type FaultProxy,
  FORWARD,
  startFaultProxy,
  type RpcCall,
} from '../support/rpc-proxy/fault-proxy.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';
import { waitUntil } from '../support/wait-until.ts';

const proxies: FaultProxy[] = [];
/** Signatures that neither endpoint passes on, while both say that they did. */
const swallowed = new Set<string>();
const calls = { first: new Set<string>(), second: new Set<string>() };
const world = { swallowsNext: false, firstIsDown: false, secondIsStuck: true };

/** What a node says that stopped at its first slot. */
const STUCK: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['getSlot', 1],
  ['getBlockHeight', 1],
  [
    'getEpochInfo',
    { absoluteSlot: 1, blockHeight: 1, epoch: 0, slotIndex: 1, slotsInEpoch: 432_000 },
  ],
]);

function swallow({ method, params }: RpcCall): Fate {
  if (method !== 'sendTransaction') return FORWARD;
  const wire = Buffer.from(z.string().parse(params[0]), 'base64');
  const signature = bs58.encode(Transaction.from(wire).signature ?? Buffer.alloc(0));
  if (world.swallowsNext) swallowed.add(signature);
  world.swallowsNext = false;
  return swallowed.has(signature) ? { kind: 'answer', result: signature } : FORWARD;
}

function decideFirst(call: RpcCall): Fate {
  if (world.firstIsDown) return CUT;
  calls.first.add(call.method);
  return swallow(call);
}

function decideSecond(call: RpcCall): Fate {
  calls.second.add(call.method);
  const stuck = world.secondIsStuck ? STUCK.get(call.method) : undefined;
  return stuck === undefined ? swallow(call) : { kind: 'answer', result: stuck };
}

const system = useSystem({
  slotTimeMs: 50,
  processes: (surroundings) => appProcesses(surroundings).filter(({ role }) => role !== 'api'),
  rpcUrlFor: async (_name, chainRpcUrl) => {
    const started = await Promise.all(
      [decideFirst, decideSecond].map((decide) => startFaultProxy(chainRpcUrl, decide)),
    );
    proxies.push(...started);
    return started.map(({ url }) => url).join(',');
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

const attemptRow = z.object({ signature: z.string(), lastValid: z.bigint() });

async function firstAttemptOf(spendId: string): Promise<z.output<typeof attemptRow>> {
  return waitUntil('the first attempt', () =>
    fixture.db.maybeOne(sql.type(attemptRow)`
      select signature, last_valid_block_height as "lastValid" from attempt
      where spend_id = ${spendId}::uuid and attempt = 1
    `),
  );
}

async function statesOfEndpoints(worker: string): Promise<readonly string[]> {
  const text = await (await fetch(`${system().urls.metrics[worker]}/metrics`)).text();
  const lines = text.matchAll(
    /^agent_wallet_rpc_endpoint_state\{endpoint="(\d)",state="(\w+)"\} 1$/gm,
  );
  return [...lines].map(([, endpoint, state]) => `${endpoint} ${state}`);
}

const openRow = z.object({ status: z.string(), attempt: z.number() });
const openRowOf = (spendId: string): Promise<z.output<typeof openRow>> =>
  fixture.db.one(sql.type(openRow)`
    select status, attempt from spend where spend_id = ${spendId}::uuid
  `);

test('an expiry is not believed before the endpoint that lags has caught up', async () => {
  const wallet = await fixture.createWallet(1_000_000n);
  const recipient = await fixture.createRecipient();
  const session = await fixture.createSession(wallet, { recipients: [recipient] });
  world.swallowsNext = true;
  const spendId = await fixture.request(wallet, session, { recipient, amount: 7n });
  const { signature, lastValid } = await firstAttemptOf(spendId);
  await waitUntil(
    'the expiry on the chain',
    async () => (await fixture.rpc.heightAndSlot('finalized')).blockHeight > lastValid,
    { timeoutMs: 40_000, intervalMs: 200 },
  );
  await delay(4_000);
  expect(await openRowOf(spendId)).toEqual({ status: 'in_flight', attempt: 1 });
  expect(swallowed).toEqual(new Set([signature]));
  expect(await statesOfEndpoints('confirm-worker')).toEqual(['0 ok', '1 lagging']);
  // It was looked after, given the bytes and listened to; nothing else was read from it.
  expect([...calls.second].toSorted()).toEqual([
    'getGenesisHash',
    'getSlot',
    'logsNotification',
    'sendTransaction',
  ]);

  world.secondIsStuck = false;
  const [spend] = await fixture.settled([spendId], 40_000);
  expect(spend).toMatchObject({ attempt: 2, code: null });
  expect(spend?.txSignature).not.toBe(signature);
  expect(await fixture.balance(wallet.vaultUsdcAta)).toBe(999_993n);
  const { statuses } = await fixture.rpc.signatureStatuses([signature], { searchHistory: true });
  expect(statuses).toEqual([null]);
}, 120_000);

test('spends continue over the second endpoint while the first is unavailable', async () => {
  const wallet = await fixture.createWallet(1_000_000n);
  const recipient = await fixture.createRecipient();
  const session = await fixture.createSession(wallet, { recipients: [recipient] });
  world.secondIsStuck = false;
  world.firstIsDown = true;
  const spendIds = await Promise.all(
    [1n, 2n, 3n].map((amount) => fixture.request(wallet, session, { recipient, amount })),
  );
  const spends = await fixture.settled(spendIds, 60_000);
  expect(spends.map(({ attempt, code }) => ({ attempt, code }))).toEqual(
    spendIds.map(() => ({ attempt: 1, code: null })),
  );
  expect(await fixture.balance(wallet.vaultUsdcAta)).toBe(999_994n);
  await waitUntil('the open breaker in the metrics', async () =>
    (await statesOfEndpoints('confirm-worker')).includes('0 open'),
  );
  world.firstIsDown = false;
  await waitUntil(
    'the first endpoint in use again',
    async () => (await statesOfEndpoints('confirm-worker')).includes('0 ok'),
    { timeoutMs: 60_000, intervalMs: 500 },
  );
}, 150_000);
