import { isAppError } from '@agent-wallet/errors';
import { describe, expect, it } from 'vitest';

import { createRpc, type Rpc } from './rpc.ts';

const ADDRESS = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const SIGNATURE = '5'.repeat(88);

type Call = { readonly method: string; readonly params: readonly unknown[] };
type Answer = (call: Call) => unknown;

function readCall(body: unknown): Call & { id: unknown } {
  const call: unknown = JSON.parse(String(body));
  if (typeof call !== 'object' || call === null) throw new TypeError('no call');
  if (!('method' in call && 'params' in call && Array.isArray(call.params)))
    throw new TypeError('no call');
  return { method: String(call.method), params: call.params, id: 'id' in call ? call.id : null };
}

/** A node that answers with `answer`, or with bare `text` and `status` when given. */
function nodeThat(
  answer: Answer,
  raw?: { text: string; status: number },
): { rpc: Rpc; calls: Call[] } {
  const calls: Call[] = [];
  const rpc = createRpc({
    url: 'http://node.example',
    timeoutMs: 1_000,
    fetch: async (_input, init) => {
      const { id, ...call } = readCall(init?.body);
      calls.push(call);
      if (raw !== undefined) return new Response(raw.text, { status: raw.status });
      const text = JSON.stringify({ jsonrpc: '2.0', id, ...Object(answer(call)) });
      return new Response(text, { headers: { 'content-type': 'application/json' } });
    },
  });
  return { rpc, calls };
}

const itemsOf = (call: Call): readonly unknown[] => {
  const [items] = call.params;
  return Array.isArray(items) ? items : [];
};

const unavailable = (error: unknown): boolean => isAppError(error, 'RPC_UNAVAILABLE');

describe('the RPC client', () => {
  it('requests accounts a hundred at a time, at the slot of the oldest reply', async () => {
    let slot = 50;
    const { rpc, calls } = nodeThat((call) => ({
      result: { context: { slot: (slot -= 1) }, value: itemsOf(call).map(() => null) },
    }));
    const addresses = Array.from({ length: 250 }, () => ADDRESS);
    const answer = await rpc.accounts(addresses, { commitment: 'confirmed' });
    expect(calls.map((call) => itemsOf(call).length)).toEqual([100, 100, 50]);
    expect(answer.accounts).toHaveLength(250);
    expect(answer.slot).toBe(47n);
  });

  it('requests statuses 256 at a time', async () => {
    const { rpc, calls } = nodeThat((call) => ({
      result: { context: { slot: 1 }, value: itemsOf(call).map(() => null) },
    }));
    const signatures = Array.from({ length: 300 }, () => SIGNATURE);
    const { statuses } = await rpc.signatureStatuses(signatures, { searchHistory: true });
    expect(calls.map((call) => itemsOf(call).length)).toEqual([256, 44]);
    expect(statuses).toHaveLength(300);
  });

  it.each<[string, Answer]>([
    [
      'an answer from before the requested slot',
      () => ({ result: { context: { slot: 9 }, value: [null] } }),
    ],
    ['too few answers', () => ({ result: { context: { slot: 10 }, value: [] } })],
    ['an error of the node', () => ({ error: { code: -32_016, message: 'behind' } })],
    ['garbage', () => ({ result: 'garbage' })],
  ])('treats %s as no reply', async (_case, answer) => {
    const { rpc } = nodeThat(answer);
    const requested = rpc.accounts([ADDRESS], { commitment: 'finalized', minContextSlot: 10n });
    await expect(requested).rejects.toSatisfy(unavailable);
  });

  it('returns the lower of two heights, at the slot of the higher', async () => {
    const counts = { epoch: 0, slotIndex: 0, slotsInEpoch: 1, transactionCount: 1 };
    const epoch = { absoluteSlot: 500, blockHeight: 400, ...counts };
    const { rpc } = nodeThat(({ method }) => ({
      result: method === 'getEpochInfo' ? epoch : 369,
    }));
    expect(await rpc.heightAndSlot('finalized')).toEqual({ blockHeight: 369n, slot: 500n });
  });

  it('sends once, whatever the reply', async () => {
    const throttled = nodeThat(() => ({}), { text: 'slow down', status: 429 });
    await expect(
      throttled.rpc.sendRaw(new Uint8Array(4), { skipPreflight: false, minContextSlot: 7n }),
    ).rejects.toSatisfy(unavailable);
    expect(throttled.calls).toHaveLength(1);
    expect(throttled.calls[0]?.params[1]).toMatchObject({
      skipPreflight: false,
      maxRetries: 0,
      minContextSlot: 7,
      preflightCommitment: 'confirmed',
    });
  });

  it('does not retry when it is throttled or the reply is broken', async () => {
    for (const raw of [
      { text: 'slow down', status: 429 },
      { text: '<html>', status: 502 },
      { text: '', status: 200 },
    ]) {
      const { rpc, calls } = nodeThat(() => ({}), raw);
      await expect(rpc.genesisHash()).rejects.toSatisfy(unavailable);
      expect(calls).toHaveLength(1);
    }
  });

  it('returns an error of the node to a sender unchanged', async () => {
    const { rpc } = nodeThat(() => ({
      error: { code: -32_002, message: 'm', data: { err: 'x' } },
    }));
    const reply = await rpc.sendRaw(new Uint8Array(4), { skipPreflight: false });
    expect(reply).toEqual({ ok: false, code: -32_002, message: 'm', data: { err: 'x' } });
  });

  it('times out when a node does not respond', async () => {
    const rpc = createRpc({
      url: 'http://node.example',
      timeoutMs: 20,
      fetch: (_input, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    });
    await expect(rpc.latestBlockhash()).rejects.toSatisfy(unavailable);
  });
});
