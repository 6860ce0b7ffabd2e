/** The spend that a span is about. Ids only: no key, no address of a caller, no body. */
export type TracedSpend = {
  /** A UUID; its bytes are the id of the trace. */
  readonly spendId: string;
  readonly walletId?: string;
  readonly sessionId?: string;
};

type SpanFacts = {
  /** The first span of the trace; recorded once for each spend. */
  readonly isRoot?: boolean;
  readonly attributes?: Readonly<Record<string, string | number>>;
};

/** A span that has ended; times in milliseconds since the epoch. */
export type EndedSpan = SpanFacts & {
  readonly name: string;
  readonly spend: TracedSpend;
  readonly startMs: number;
  readonly endMs: number;
};

export type RecordSpan = (span: EndedSpan) => void;

/** Ends the span for one spend, now. Work on several spends at once ends once for each. */
export type EndSpan = (spend: TracedSpend, facts?: SpanFacts) => void;

let record: RecordSpan | null = null;
const END_NOTHING: EndSpan = () => undefined;

/** Sets where spans go; null switches tracing off. */
export function recordWith(next: RecordSpan | null): void {
  record = next;
}

const nowMs = (): number => performance.timeOrigin + performance.now();

/**
 * Starts a span. It is recorded when it ends, because the spend may be known only then. Does nothing
 * while tracing is off.
 */
export function startSpan(name: string): EndSpan {
  if (record === null) return END_NOTHING;
  const startMs = nowMs();
  return (spend, facts = {}) => record?.({ name, spend, startMs, endMs: nowMs(), ...facts });
}
