import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type Fate, FORWARD, forward, type RpcAnswer, type RpcCall } from './fault-proxy.ts';
import { draw, pick } from './draw.ts';
import { preflightRefusal, readSend, type SeenSend } from './sends.ts';

/**
 * A story about one signature. All endpoints of a system tell the same one, so its state is shared.
 *
 * - `early_landing`: shown as confirmed once, then unknown, then it lands.
 *
 * - `forks_out`: shown as confirmed once, then unknown for good.
 *
 * - `failed_first`: lands, but is first shown as failed.
 *
 * - `late_refusal`: the reply to the first send, a refusal, is delayed until the same bytes are
 * sent again, and those land.
 */
const STORIES = ['early_landing', 'forks_out', 'failed_first', 'late_refusal'] as const;
export type Story = (typeof STORIES)[number];

type Told = { readonly story: Story; shown: number };

const LANDS_AFTER_MS = 2_500;
const FAILED_LOOKS = 2;
const REPETITION_TIMEOUT_MS = 10_000;
const REPETITION_HELD_MS = 200;
const FAILURE = { InstructionError: [1, { Custom: 1 }] };

const statuses = z.looseObject({
  context: z.looseObject({ slot: z.number() }),
  value: z.array(z.looseObject({}).nullable()),
});
const transaction = z.looseObject({ meta: z.looseObject({}) });

export type StoryBook = {
  /** Null when the call belongs to no story. */
  fateOf(call: RpcCall): Promise<Fate | null>;
  readonly told: () => number;
  stop(): Promise<void>;
};

export function createStoryBook(options: {
  readonly seed: string;
  readonly chainRpcUrl: string;
  readonly programId: string;
  readonly rates: Readonly<Partial<Record<Story, number>>>;
  /** Stories begin only while this is true; those that have begun continue to their end. */
  readonly isOn: () => boolean;
}): StoryBook {
  const { seed, chainRpcUrl, programId, rates, isOn } = options;
  const stories = new Map<string, Told>();
  let seenSends = 0;
  const repeated = new Map<string, () => void>();
  const stopping = new AbortController();
  const pending = new Set<Promise<void>>();

  function begin(send: SeenSend): Told | null {
    const known = stories.get(send.signature);
    if (known !== undefined) return known;
    if (!isOn() || !send.isFirst) return null;
    seenSends += 1;
    const story = pick(draw(seed, 'story', seenSends), STORIES, (one) => rates[one] ?? 0);
    if (story === null) return null;
    const told = { story, shown: 0 };
    stories.set(send.signature, told);
    return told;
  }

  function landLater({ base64 }: SeenSend): void {
    const config = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };
    const params = [base64, config];
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params });
    const land = async (): Promise<void> => {
      await delay(LANDS_AFTER_MS, undefined, { signal: stopping.signal });
      await forward(chainRpcUrl, body);
    };
    const landing = land()
      .catch(() => undefined)
      .finally(() => pending.delete(landing));
    pending.add(landing);
  }

  async function refuseLate(send: SeenSend): Promise<Fate> {
    if (!send.isFirst) {
      repeated.get(send.signature)?.();
      return { kind: 'delay', delayMs: REPETITION_HELD_MS, next: FORWARD };
    }
    const repetition = Promise.withResolvers<'repeated'>();
    repeated.set(send.signature, () => repetition.resolve('repeated'));
    const timeout = new AbortController();
    const late = delay(REPETITION_TIMEOUT_MS, 'late' as const, {
      signal: AbortSignal.any([stopping.signal, timeout.signal]),
    }).catch(() => 'late' as const);
    const outcome = await Promise.race([repetition.promise, late]);
    timeout.abort();
    if (outcome === 'late') return { kind: 'cut' };
    return { kind: 'error', error: preflightRefusal(send.base64, programId) };
  }

  async function onSend(send: SeenSend): Promise<Fate | null> {
    const isNew = !stories.has(send.signature);
    const told = begin(send);
    if (told === null) return null;
    switch (told.story) {
      case 'failed_first':
        return null;
      case 'late_refusal':
        return refuseLate(send);
      case 'early_landing':
        if (isNew) landLater(send);
        return { kind: 'answer', result: send.signature };
      case 'forks_out':
        return { kind: 'answer', result: send.signature };
    }
  }

  function showStatuses(signatures: readonly string[], answer: RpcAnswer): RpcAnswer {
    const result = statuses.safeParse(answer['result']);
    if (!result.success) return answer;
    const { context, value } = result.data;
    const changed = value.map((one, index) => {
      const told = stories.get(signatures[index] ?? '');
      if (told === undefined) return one;
      return showStatus(told, one, context.slot);
    });
    return { ...answer, result: { context, value: changed } };
  }

  return {
    fateOf: async (call) => {
      const send = readSend(call);
      if (send !== null) return onSend(send);
      if (stories.size === 0) return null;
      if (call.method === 'getSignatureStatuses') {
        const requested = z.array(z.string()).parse(call.params[0]);
        if (!requested.some((signature) => stories.has(signature))) return null;
        return { kind: 'rewrite', rewrite: (answer) => showStatuses(requested, answer) };
      }
      if (call.method !== 'getTransaction') return null;
      const told = stories.get(z.string().parse(call.params[0]));
      if (told?.story !== 'failed_first' || told.shown > FAILED_LOOKS) return null;
      return { kind: 'rewrite', rewrite: showFailed };
    },
    told: () => stories.size,
    stop: async () => {
      stopping.abort();
      await Promise.all(pending);
    },
  };
}

function showStatus(told: Told, one: object | null, slot: number): object | null {
  switch (told.story) {
    case 'early_landing':
    case 'forks_out':
      if (one !== null || told.shown > 0) return one;
      told.shown += 1;
      return { slot, confirmations: 1, err: null, confirmationStatus: 'confirmed' };
    case 'failed_first':
      if (one === null) return one;
      told.shown += 1;
      if (told.shown > FAILED_LOOKS) return one;
      return { ...one, err: FAILURE, confirmationStatus: 'confirmed' };
    case 'late_refusal':
      return one;
  }
}

function showFailed(answer: RpcAnswer): RpcAnswer {
  const found = transaction.safeParse(answer['result']);
  if (!found.success) return answer;
  const { meta } = found.data;
  const failed = { ...meta, err: FAILURE, innerInstructions: [] };
  return { ...answer, result: { ...found.data, meta: failed } };
}
