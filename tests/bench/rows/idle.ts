/** The RPC calls of a system without spends, and with one spend per second. */
import { setTimeout as delay } from 'node:timers/promises';
import { sendArrivals } from '../load/arrivals.ts';
import { readRpcCalls, type RpcCalls, sumOf } from '../measure/rpc-calls.ts';
import { compareWithBound } from '../report/compare.ts';
import type { Row } from '../row.ts';

/** The window in which public nodes count calls. */
const WINDOW_MS = 10_000;
const WINDOWS = 6;
const QUICK_WINDOWS = 2;
const SLOW = { count: 30, everyMs: 1_000, slotMs: 400 } as const;
/** After the last spend, prices of its accounts are read for a minute. */
const QUIET_MS = 65_000;
/** Half of what a public node allows an address: 100 calls, 40 of them of one method. */
const MOST = { all: 50, ofOneMethod: 20 } as const;

export const idle: Row = {
  id: 'idle',
  lines: ['idle-rpcCalls', 'idle-rpcMethod', 'slow-rpcCalls'],
  limitMinutes: 5,
  run: async (bench) => {
    const stage = await bench.shared();
    await stage.rest();
    bench.progress('idle: waiting for a quiet minute');
    await delay(QUIET_MS);
    const all: number[] = [];
    const ofOneMethod: number[] = [];
    const first = await readRpcCalls(stage.system);
    let before = first;
    const windows = bench.isQuick ? QUICK_WINDOWS : WINDOWS;
    for (let window = 0; window < windows; window += 1) {
      await delay(WINDOW_MS);
      const now = await readRpcCalls(stage.system);
      all.push(sumOf(now) - sumOf(before));
      ofOneMethod.push(Math.max(...byMethod(before, now).values()));
      before = now;
    }
    for (const line of describe(first, before, windows)) bench.progress(`idle: ${line}`);
    const slow = await readRpcCalls(stage.system);
    await sendArrivals(stage, SLOW);
    const slowWindows = (SLOW.count * SLOW.everyMs) / WINDOW_MS;
    const afterSlow = await readRpcCalls(stage.system);
    for (const line of describe(slow, afterSlow, slowWindows)) {
      bench.progress(`one spend each second: ${line}`);
    }
    return [
      compareWithBound(
        { id: 'idle-rpcCalls', what: 'RPC calls in 10 s of an idle system', unit: '' },
        all,
        { atMost: MOST.all },
      ),
      compareWithBound(
        { id: 'idle-rpcMethod', what: 'the same, of the most frequent method', unit: '' },
        ofOneMethod,
        { atMost: MOST.ofOneMethod },
      ),
      compareWithBound(
        { id: 'slow-rpcCalls', what: 'RPC calls in 10 s with one spend each second', unit: '' },
        [(sumOf(afterSlow) - sumOf(slow)) / slowWindows],
        null,
      ),
    ];
  },
};

function byMethod(before: readonly RpcCalls[], now: readonly RpcCalls[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { method, count } of now) counts.set(method, (counts.get(method) ?? 0) + count);
  for (const { method, count } of before) counts.set(method, (counts.get(method) ?? 0) - count);
  return counts;
}

/** One line for each process and method that made calls. */
function describe(
  first: readonly RpcCalls[],
  last: readonly RpcCalls[],
  windows: number,
): readonly string[] {
  const named = new Set(last.map(({ process, method }) => `${process} ${method}`));
  return [...named].flatMap((name) => {
    const isIt = ({ process, method }: RpcCalls): boolean => `${process} ${method}` === name;
    const count = sumOf(last, isIt) - sumOf(first, isIt);
    return count === 0 ? [] : [`${name} ${(count / windows).toFixed(1)} in 10 s`];
  });
}
