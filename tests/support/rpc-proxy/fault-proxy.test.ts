import { expect, test } from 'vitest';
import type { Fate, RpcAnswer, RpcCall } from './fault-proxy.ts';
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
