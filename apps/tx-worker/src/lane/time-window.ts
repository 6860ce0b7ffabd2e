import { isWithinWindow } from '@agent-wallet/policy';
import { z } from 'zod';

const storedWindow = z
  .object({
    start_min: z.number(),
    end_min: z.number(),
    days: z.number(),
    timezone: z.string(),
  })
  .nullable();

/** Whether the wallet's stored time window is open. A window that cannot be read is closed. */
export function isTimeWindowOpen(stored: unknown, atMs: number): boolean {
  const parsed = storedWindow.safeParse(stored ?? null);
  if (!parsed.success) return false;
  if (parsed.data === null) return true;
  const { start_min: startMin, end_min: endMin, days, timezone } = parsed.data;
  return isWithinWindow({ startMin, endMin, days, timezone }, atMs);
}
