import { z } from 'zod';
import type { Fate, RpcAnswer, RpcCall, RpcError } from './fault-proxy.ts';

const context = z.looseObject({ slot: z.number() });
const withContext = z.looseObject({ context, value: z.unknown() });
const epochInfo = z.looseObject({ absoluteSlot: z.number(), blockHeight: z.number() });
const options = z.looseObject({ minContextSlot: z.number().optional() });
const landed = z.looseObject({ slot: z.number() });
const status = landed.extend({ confirmationStatus: z.string().nullable().optional() });

const FINALITY_SLOTS = 32;
const KEPT_ANSWERS = 64;

/** The chain as seen by one node that lags by some slots. */
export type LaggingView = {
  /** Records the newest state; each reply must pass through it. */
  readonly observe: (call: RpcCall, answer: RpcAnswer) => RpcAnswer;
  /** The lagging node's reply to a call. */
  readonly fateOf: (call: RpcCall) => Fate;
};

/**
 * Nodes do not return old account states, so the proxy keeps those it has seen. A lagging reply is
 * the newest one at or below the node's slot, with the slot at which it was true. Statuses and
 * histories leave out later landings. `minContextSlot` is honoured.
 */
export function createLaggingView(lagSlots: number): LaggingView {
  let head = 0;
  const kept = new Map<string, { readonly slot: number; readonly answer: RpcAnswer }[]>();

  function observe(call: RpcCall, answer: RpcAnswer): RpcAnswer {
    const slot = slotOf(answer);
    if (slot === null) return answer;
    head = Math.max(head, slot);
    if (isKept(call)) {
      const known = kept.get(keyOf(call)) ?? [];
      kept.set(keyOf(call), [...known, { slot, answer }].slice(-KEPT_ANSWERS));
    }
    return answer;
  }

  function older(call: RpcCall, answer: RpcAnswer, view: number): RpcAnswer {
    const found = (kept.get(keyOf(call)) ?? []).findLast(({ slot }) => slot <= view);
    return found === undefined ? answer : { ...found.answer, id: answer['id'] };
  }

  return {
    observe,
    fateOf: (call) => {
      const view = Math.max(0, head - lagSlots);
      const wanted = minContextSlotOf(call);
      if (wanted !== null && wanted > view) return { kind: 'error', error: behind(view) };
      return {
        kind: 'rewrite',
        rewrite: (answer) => {
          observe(call, answer);
          return isKept(call)
            ? older(call, answer, view)
            : { ...answer, result: asOf(call.method, answer['result'], view, lagSlots) };
        },
      };
    },
  };
}

const behind = (slot: number): RpcError => ({
  code: -32_016,
  message: 'Minimum context slot has not been reached',
  data: { contextSlot: slot },
});

const KEPT: ReadonlySet<string> = new Set([
  'getMultipleAccounts',
  'getAccountInfo',
  'getLatestBlockhash',
]);

function isKept({ method }: RpcCall): boolean {
  return KEPT.has(method);
}

/** Calls that differ only in `minContextSlot` share a key. */
function keyOf({ method, params }: RpcCall): string {
  return `${method} ${JSON.stringify(params[0] ?? null)}`;
}

function minContextSlotOf({ params }: RpcCall): number | null {
  for (const one of params) {
    const parsed = options.safeParse(one);
    if (parsed.success && parsed.data.minContextSlot !== undefined) {
      return parsed.data.minContextSlot;
    }
  }
  return null;
}

function slotOf(answer: RpcAnswer): number | null {
  const inContext = withContext.safeParse(answer['result']);
  if (inContext.success) return inContext.data.context.slot;
  const epoch = epochInfo.safeParse(answer['result']);
  return epoch.success ? epoch.data.absoluteSlot : null;
}

function asOf(method: string, result: unknown, view: number, lagSlots: number): unknown {
  switch (method) {
    case 'getBlockHeight':
      return z.number().parse(result) - lagSlots;
    case 'getEpochInfo': {
      const epoch = epochInfo.parse(result);
      return {
        ...epoch,
        absoluteSlot: epoch.absoluteSlot - lagSlots,
        blockHeight: epoch.blockHeight - lagSlots,
      };
    }
    case 'getTransaction': {
      const transaction = landed.nullable().parse(result);
      return transaction !== null && transaction.slot > view ? null : transaction;
    }
    case 'getSignaturesForAddress':
      return z
        .array(landed)
        .parse(result)
        .filter(({ slot }) => slot <= view);
    case 'getSignatureStatuses': {
      const { value } = withContext.parse(result);
      const statuses = z.array(status.nullable()).parse(value);
      return {
        context: { slot: view },
        value: statuses.map((one) => statusAsOf(one, view)),
      };
    }
    default:
      return result;
  }
}

function statusAsOf(one: z.infer<typeof status> | null, view: number): unknown {
  if (one === null || one.slot > view) return null;
  const isFinal = one.confirmationStatus === 'finalized' && one.slot > view - FINALITY_SLOTS;
  return isFinal ? { ...one, confirmationStatus: 'confirmed' } : one;
}
