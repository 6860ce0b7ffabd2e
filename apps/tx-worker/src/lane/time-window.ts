import { isWithinWindow } from '@agent-wallet/policy';
import { parseTimeWindow } from '@agent-wallet/wallet';

/** Whether the wallet's stored time window is open. A window that cannot be read is closed. */
export function isTimeWindowOpen(stored: unknown, atMs: number): boolean {
  const window = parseTimeWindow(stored);
  return window !== 'unreadable' && isWithinWindow(window, atMs);
}
