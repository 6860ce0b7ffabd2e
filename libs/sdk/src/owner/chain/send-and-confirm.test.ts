import { describe, expect, it, test } from 'vitest';
import { type Clock, startTimeLimit } from '../../http/time-limit.ts';
import type { RpcReply } from './rpc-node.ts';
import { sendAndConfirm, type SendProgress } from './send-and-confirm.ts';

/** Replies by method, in turn; the last one stays. Null is none. */
type Script = Readonly<Record<string, readonly (RpcReply | null)[]>>;

const result = (value: unknown): RpcReply => ({ result: value });
const error = (code: number, message: string, data?: unknown): RpcReply => ({
  error: { code, message, ...(data === undefined ? {} : { data }) },
});
const status = (one: unknown): RpcReply => result({ value: [one] });
const ABSENT = status(null);
const PROCESSED = status({ err: null, confirmationStatus: 'processed' });
const CONFIRMED = status({ err: null, confirmationStatus: 'confirmed' });
const SENT = result('signature');
const REFUSED = error(-32_002, 'simulation failed', {
  err: { InstructionError: [0, { Custom: 6_002 }] },
  logs: ['one', 'Program log: AnchorError'],
});
const UNKNOWN_BLOCKHASH = error(-32_002, 'x', { err: 'BlockhashNotFound', logs: [] });
const valid = (slot: number, value: boolean) => result({ context: { slot }, value });

async function run(
  script: Script,
  timeoutMs = 120_000,
  { signal, wasSent }: { signal?: AbortSignal; wasSent?: boolean } = {},
) {
  let nowMs = 0;
  const clock: Clock = {
    nowMs: () => nowMs,
    sleep: async (ms, given) => {
      given?.throwIfAborted();
      nowMs += ms;
    },
  };
  const calls: { method: string; params: readonly unknown[] }[] = [];
  const progress: SendProgress[] = [];
  const node = {
    call: async (method: string, params: readonly unknown[]) => {
      const earlier = calls.filter((one) => one.method === method).length;
      calls.push({ method, params });
      const replies = script[method] ?? [];
      return replies[Math.min(earlier, replies.length - 1)] ?? null;
    },
    read: () => Promise.reject(new Error('nothing is read')),
  };
  const signed = { bytes: Uint8Array.from([1, 2, 3]), signature: 'signature', blockhash: 'hash' };
  const outcome = await sendAndConfirm(
    signed,
    { node, clock },
    {
      limit: startTimeLimit(clock, timeoutMs, signal),
      onProgress: (one) => progress.push(one),
      wasSent,
    },
  ).catch((thrown: unknown) => thrown);
  const sends = calls.filter(({ method }) => method === 'sendTransaction');
  return { outcome, sends, progress, nowMs };
}

test('the same bytes go again every two seconds until they are confirmed', async () => {
  const statuses = [...Array<RpcReply>(9).fill(ABSENT), PROCESSED, CONFIRMED];
  const found = await run({ sendTransaction: [SENT], getSignatureStatuses: statuses });
  expect(found.outcome).toBe('signature');
  expect(found.sends.map(({ params }) => params[0])).toEqual(['AQID', 'AQID', 'AQID']);
  expect(found.sends.map(({ params }) => params[1])).toMatchObject([
    { skipPreflight: false },
    { skipPreflight: true },
    { skipPreflight: true },
  ]);
  expect(found.progress.map(({ status: one, sends }) => `${one} ${sends}`)).toEqual([
    'sent 1',
    'sent 2',
    'sent 3',
    'processed 3',
    'confirmed 3',
  ]);
});

test('bytes that were confirmed before are not sent again', async () => {
  const { outcome, sends } = await run({ getSignatureStatuses: [CONFIRMED] });
  expect([outcome, sends]).toEqual(['signature', []]);
});

it.each<[string, RpcReply | null]>([
  ['no reply', null],
  ['too many requests', error(429, 'slow down')],
  ['a node that is behind', error(-32_005, 'Node is behind by 42 slots')],
  ['an internal error', error(-32_603, 'internal')],
  ['a preflight failure without its reason', error(-32_002, 'no')],
  ['bytes that were processed already', error(-32_002, 'x', { err: 'AlreadyProcessed' })],
  ['a blockhash that a slow node does not know yet', UNKNOWN_BLOCKHASH],
])('%s decides nothing', async (_name, reply) => {
  const statuses = [ABSENT, null, ABSENT, ABSENT, ABSENT, ABSENT, CONFIRMED];
  const { outcome } = await run({ sendTransaction: [reply], getSignatureStatuses: statuses });
  expect(outcome).toBe('signature');
});

describe('a transaction that a node refuses in its preflight', () => {
  it('has failed when it was not passed on before', async () => {
    const script = { sendTransaction: [REFUSED], getSignatureStatuses: [ABSENT] };
    const { outcome, sends } = await run(script);
    expect(outcome).toMatchObject({
      code: 'TRANSACTION_FAILED',
      detail: expect.stringContaining('AnchorError'),
    });
    expect(sends).toHaveLength(1);
  });

  it('may have landed, and has when the chain shows it', async () => {
    const script = { sendTransaction: [REFUSED], getSignatureStatuses: [ABSENT, CONFIRMED] };
    expect((await run(script)).outcome).toBe('signature');
  });

  it('is not called failed when it may be out', async () => {
    const script = { sendTransaction: [null, REFUSED], getSignatureStatuses: [ABSENT] };
    expect((await run(script, 30_000)).outcome).toMatchObject({ code: 'PENDING' });
  });
});

test('one that landed with an error has failed', async () => {
  const reverted = status({ err: { InstructionError: [0, 'x'] }, confirmationStatus: 'finalized' });
  const script = { sendTransaction: [SENT], getSignatureStatuses: [ABSENT, reverted] };
  expect((await run(script)).outcome).toMatchObject({ code: 'TRANSACTION_FAILED' });
});

describe('a blockhash', () => {
  const sending = { sendTransaction: [SENT], getSignatureStatuses: [ABSENT] };

  it('has expired once finalized blocks knew it and no longer do', async () => {
    const isBlockhashValid = [
      valid(10, false),
      valid(20, true),
      valid(19, false),
      valid(21, false),
    ];
    const { outcome, sends, nowMs } = await run({ ...sending, isBlockhashValid });
    expect(outcome).toMatchObject({ code: 'TRANSACTION_EXPIRED' });
    // Found expired after 7.5 s, and looked for five times.
    expect([sends.length, nowMs]).toEqual([4, 9_500]);
  });

  it('has not expired for a node that never knew it', async () => {
    const { outcome } = await run({ ...sending, isBlockhashValid: [valid(10, false), null] });
    expect(outcome).toMatchObject({ code: 'PENDING', details: { tx_signature: 'signature' } });
  });

  it('may expire on a transaction that landed', async () => {
    const statuses = [...Array<RpcReply>(8).fill(ABSENT), CONFIRMED];
    const isBlockhashValid = [valid(20, true), valid(21, false)];
    const script = { sendTransaction: [SENT], getSignatureStatuses: statuses, isBlockhashValid };
    expect((await run(script)).outcome).toBe('signature');
  });

  it('was too old from the start when no node takes it', async () => {
    const script = { sendTransaction: [UNKNOWN_BLOCKHASH], getSignatureStatuses: [ABSENT] };
    const { outcome, nowMs } = await run(script);
    expect(outcome).toMatchObject({ code: 'TRANSACTION_EXPIRED' });
    expect(nowMs).toBeGreaterThan(20_000);
  });
});

it.each([
  ['does not know its blockhash', UNKNOWN_BLOCKHASH],
  ['refuses it in preflight', REFUSED],
])('what was sent before stays unknown when a node %s', async (_name, reply) => {
  const script = { sendTransaction: [reply], getSignatureStatuses: [ABSENT] };
  const { outcome, sends } = await run(script, 60_000, { wasSent: true });
  expect(outcome).toMatchObject({ code: 'PENDING' });
  expect(sends[0]?.params[1]).toMatchObject({ skipPreflight: true });
});

test('a status that does not say how far it is confirmed is no confirmation', async () => {
  const script = { sendTransaction: [SENT], getSignatureStatuses: [status({ err: null })] };
  expect((await run(script)).outcome).toMatchObject({ code: 'PENDING' });
});

test('a signal ends the waiting with its reason', async () => {
  const reason = new Error('closed');
  const script = { sendTransaction: [SENT], getSignatureStatuses: [ABSENT] };
  expect((await run(script, 120_000, { signal: AbortSignal.abort(reason) })).outcome).toBe(reason);
});
