import { z } from 'zod';
import { CUT, type Fate, FORWARD, type RpcAnswer, type RpcCall } from './fault-proxy.ts';
import { draw, drawWhole, pick } from './draw.ts';
import { createLaggingView } from './lag.ts';
import { createLimiter } from './limits.ts';
import { LIES, type Lie, type Profile } from './profiles.ts';

const DELAY_MS = [20, 1_500] as const;
/** Longer than any caller waits. */
const STALL_MS = 6_000;
const LAG_SLOTS = 60;
/** A forgotten signature reappears after this many looks at most. */
const FORGOTTEN_LOOKS = [1, 40] as const;
const SEND_ONLY: ReadonlySet<Lie> = new Set(['blockhash_not_found', 'already_processed']);

export type FaultPlan = {
  /** The fate of a call; without limits, the same calls in the same order have the same fates. */
  decide(call: RpcCall): Fate;
  readonly faults: () => number;
};

/** The faults of one endpoint, decided by the seed and the number of the call of its method. */
export function createFaultPlan(options: {
  readonly seed: string;
  readonly profile: Profile;
  readonly isOn: () => boolean;
}): FaultPlan {
  const { seed, profile, isOn } = options;
  const calls = new Map<string, number>();
  const looks = new Map<string, number>();
  const lagging = createLaggingView(LAG_SLOTS);
  const limited = createLimiter(profile, () => performance.now());
  let faults = 0;

  function lieFor(method: string, number: number): Lie | null {
    const isPossible = (lie: Lie): boolean => !SEND_ONLY.has(lie) || method === 'sendTransaction';
    const possible = LIES.filter(isPossible);
    return pick(draw(seed, method, number), possible, (lie) => profile.lies[lie] ?? 0);
  }

  function isForgotten(signature: string): boolean {
    if (draw(seed, 'forgets', signature) >= (profile.forgets ?? 0)) return false;
    const seen = (looks.get(signature) ?? 0) + 1;
    looks.set(signature, seen);
    if (seen > drawWhole(FORGOTTEN_LOOKS, seed, 'looks', signature)) return false;
    faults += 1;
    return true;
  }

  return {
    decide: (call) => {
      if (!isOn()) return observing(call, lagging.observe);
      const refusal = limited(call.method);
      if (refusal !== null) {
        faults += 1;
        return refusal;
      }
      const number = (calls.get(call.method) ?? 0) + 1;
      calls.set(call.method, number);
      const lie = lieFor(call.method, number);
      if (lie !== null) {
        faults += 1;
        const label = `${call.method} ${number}`;
        return lie === 'lag' ? lagging.fateOf(call) : fateOfLie(lie, seed, label);
      }
      return (profile.forgets ?? 0) > 0
        ? forgetting(call, isForgotten)
        : observing(call, lagging.observe);
    },
    faults: () => faults,
  };
}

function fateOfLie(lie: Exclude<Lie, 'lag'>, seed: string, label: string): Fate {
  const isDelivered = draw(seed, 'delivered', label) < 0.5;
  switch (lie) {
    case 'drop_request':
      return CUT;
    case 'drop_answer':
      return { kind: 'deliver', next: CUT };
    case 'delay':
      return { kind: 'delay', delayMs: drawWhole(DELAY_MS, seed, 'delay', label), next: FORWARD };
    case 'stall':
      return { kind: 'delay', delayMs: STALL_MS, next: FORWARD };
    case 'duplicate':
      return { kind: 'duplicate' };
    case 'rate_limit':
      return { kind: 'raw', status: 429, body: 'slow down' };
    case 'server_error':
      return { kind: 'raw', status: 503, body: '{"error":"upstream is away"}' };
    case 'garbage':
      return { kind: 'raw', status: 200, body: isDelivered ? '<html>hello</html>' : '{"jsonrpc":' };
    case 'blockhash_not_found':
      return maybeDelivered(
        isDelivered,
        preflightError('Blockhash not found', 'BlockhashNotFound'),
      );
    case 'already_processed':
      return maybeDelivered(
        isDelivered,
        preflightError('This transaction has already been processed', 'AlreadyProcessed'),
      );
  }
}

function maybeDelivered(isDelivered: boolean, next: Fate): Fate {
  return isDelivered ? { kind: 'deliver', next } : next;
}

function preflightError(text: string, err: string): Fate {
  const message = `Transaction simulation failed: ${text}`;
  return { kind: 'error', error: { code: -32_002, message, data: { err, logs: [] } } };
}

type Observe = (call: RpcCall, answer: RpcAnswer) => RpcAnswer;

function observing(call: RpcCall, observe: Observe): Fate {
  if (call.method === 'sendTransaction') return FORWARD;
  return { kind: 'rewrite', rewrite: (answer) => observe(call, answer) };
}

const statuses = z.looseObject({ value: z.array(z.unknown()) });
const records = z.array(z.looseObject({ signature: z.string() }));

function forgetting(call: RpcCall, isForgotten: (signature: string) => boolean): Fate {
  const [first] = call.params;
  switch (call.method) {
    case 'getTransaction':
      return isForgotten(z.string().parse(first)) ? { kind: 'answer', result: null } : FORWARD;
    case 'getSignatureStatuses': {
      const hidden = z.array(z.string()).parse(first).map(isForgotten);
      return rewriteResult(statuses, (result) => ({
        ...result,
        value: result.value.map((one, index) => (hidden[index] === true ? null : one)),
      }));
    }
    case 'getSignaturesForAddress':
      return rewriteResult(records, (all) =>
        all.filter(({ signature }) => !isForgotten(signature)),
      );
    default:
      return FORWARD;
  }
}

function rewriteResult<Result>(
  schema: z.ZodType<Result>,
  change: (result: Result) => unknown,
): Fate {
  return {
    kind: 'rewrite',
    rewrite: (answer) => {
      const parsed = schema.safeParse(answer['result']);
      return parsed.success ? { ...answer, result: change(parsed.data) } : answer;
    },
  };
}
