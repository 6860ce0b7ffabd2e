import { type PolicyAnswer, timeWindow } from '@agent-wallet/contract';
import type { TimeWindow } from '@agent-wallet/policy';

/** A stored or sent time window as the rule takes it; null means always open. */
export function toTimeWindow(window: PolicyAnswer['time_window']): TimeWindow | null {
  if (window === null) return null;
  const { start_min: startMin, end_min: endMin, days, timezone } = window;
  return { startMin, endMin, days, timezone };
}

/** A time window read without a schema; null means always open. */
export function parseTimeWindow(stored: unknown): TimeWindow | null | 'unreadable' {
  const parsed = timeWindow.nullable().safeParse(stored ?? null);
  return parsed.success ? toTimeWindow(parsed.data) : 'unreadable';
}
