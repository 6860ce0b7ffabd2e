import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { listenOnLoopback } from '@agent-wallet/local-system/chain/server/listen.ts';
import { serveSubscriptions } from '@agent-wallet/local-system/chain/subscriptions/socket-server.ts';
import { socketUrlOf } from '@agent-wallet/chain';
import { expect, test } from 'vitest';
import { createSteppedChain } from '../../../libs/local-system/fixtures/stepped-chain.ts';
import { listen } from '../../parity/listen.ts';
import { waitUntil } from '../wait-until.ts';
import {
  CUT,
  type Fate,
  FORWARD,
  type RpcAnswer,
  type RpcCall,
  startFaultProxy,
} from './fault-proxy.ts';
import { createLaggingView } from './lag.ts';
import { createFaultPlan } from './plan.ts';
import { PROFILES } from './profiles.ts';

const LAG = 60;
const account = (minContextSlot?: number): RpcCall => ({
  method: 'getMultipleAccounts',
  params: [['session'], { minContextSlot }],
});
const accountAt = (slot: number, value: string): RpcAnswer => ({
  id: 1,
  result: { context: { slot }, value },
});
const rewritten = (fate: Fate, answer: RpcAnswer): unknown =>
  fate.kind === 'rewrite' ? fate.rewrite(answer)['result'] : fate;

const status = (slot: number): object => ({ slot, err: null, confirmationStatus: 'finalized' });

function fatesOf(seed: string): readonly string[] {
  const plan = createFaultPlan({ seed, profile: PROFILES.everything, isOn: () => true });
  const methods = ['getBlockHeight', 'sendTransaction', 'getEpochInfo'];
  return Array.from({ length: 600 }, (_, n) => {
    const method = methods[n % methods.length] ?? '';
    return JSON.stringify(plan.decide({ method, params: ['AQ=='] }));
  });
}

test('the same seed makes the same decisions, another seed makes others', () => {
  expect(fatesOf('a')).toEqual(fatesOf('a'));
  expect(fatesOf('b')).not.toEqual(fatesOf('a'));
  expect(new Set(fatesOf('a')).size).toBeGreaterThan(10);
});

test('while it is off, a plan forwards each call', () => {
  const plan = createFaultPlan({ seed: 'a', profile: PROFILES.everything, isOn: () => false });
  const fates = Array.from({ length: 200 }, () => plan.decide({ method: 'getSlot', params: [] }));
  expect(new Set(fates.map(({ kind }) => kind))).toEqual(new Set(['rewrite']));
  expect(plan.faults()).toBe(0);
});

test('a lagging node returns an account as of its own slot', () => {
  const view = createLaggingView(LAG);
  view.observe(account(), accountAt(100, 'old'));
  view.observe(account(), accountAt(150, 'newer'));
  view.observe({ ...account(), params: [['another']] }, accountAt(200, 'other'));
  const answer = accountAt(200, 'newest');
  expect(rewritten(view.fateOf(account()), answer)).toEqual({
    context: { slot: 100 },
    value: 'old',
  });
});

test('a lagging node refuses a minimum slot that it has not reached', () => {
  const view = createLaggingView(LAG);
  view.observe(account(), accountAt(200, 'newest'));
  expect(view.fateOf(account(141))).toMatchObject({ kind: 'error', error: { code: -32_016 } });
  expect(view.fateOf(account(140))).toMatchObject({ kind: 'rewrite' });
});

test('a lagging node has not seen what landed after its slot', () => {
  const view = createLaggingView(LAG);
  view.observe(account(), accountAt(200, 'newest'));
  const call = { method: 'getSignatureStatuses', params: [['a', 'b', 'c']] };
  const answer = {
    id: 1,
    result: { context: { slot: 200 }, value: [status(100), status(130), status(141)] },
  };
  expect(rewritten(view.fateOf(call), answer)).toEqual({
    context: { slot: 140 },
    value: [status(100), { ...status(130), confirmationStatus: 'confirmed' }, null],
  });
});

test('a notification is passed on, lost or repeated, or ends the connection', async () => {
  const chain = createSteppedChain();
  const [rpc, sockets] = [createServer(), createServer()];
  const subscriptions = serveSubscriptions(chain.engine, [sockets]);
  const port = await listenOnLoopback(rpc, sockets);
  const fates: Fate[] = [FORWARD, { kind: 'deliver', next: CUT }, { kind: 'duplicate' }, CUT];
  const proxy = await startFaultProxy(`http://127.0.0.1:${port}`, () => fates.shift() ?? FORWARD);
  try {
    using socket = await listen(socketUrlOf(proxy.url));
    const subscription = await socket.subscribe('slotSubscribe', []);
    const [told, doubled] = [
      chain.engine.slot('processed') + 1,
      chain.engine.slot('processed') + 3,
    ];
    chain.advance(4);
    const shown = await socket.waitFor(subscription, 3);
    expect(shown.map(({ result }) => result)).toMatchObject([
      { slot: told },
      { slot: doubled },
      { slot: doubled },
    ]);
    const connections = promisify(sockets.getConnections.bind(sockets));
    await waitUntil('the end of the connection', async () => (await connections()) === 0);
  } finally {
    await proxy[Symbol.asyncDispose]();
    subscriptions.close();
    rpc.close();
    sockets.close();
  }
});
