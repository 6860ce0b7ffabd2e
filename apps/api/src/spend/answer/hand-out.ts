import type { Database } from '@agent-wallet/db';
import { readReleased, releaseAttempt, type Spend } from '@agent-wallet/spend';

/** Whether the agent itself gives the transaction to a service, whose facilitator sends it. */
export function canBeHandedOut({ kind, broadcaster, status }: Spend): boolean {
  return kind === 'sign_payment' && broadcaster === 'facilitator' && status === 'in_flight';
}

/**
 * The transaction of a payment that the agent hands out. Its release is committed before, and while
 * the payment is in flight each call returns the same bytes. Null for any other spend, and once the
 * outcome is known. A fault is no outcome: the spend was accepted, and a replay returns the bytes.
 */
export async function handOut(
  { db, onFault }: { readonly db: Database; readonly onFault: (error: unknown) => void },
  spend: Spend,
): Promise<Buffer | null> {
  if (!canBeHandedOut(spend)) return null;
  const { spendId } = spend;
  try {
    const released = (await releaseAttempt(db, spendId)) ?? (await readReleased(db, spendId));
    return released?.wire ?? null;
  } catch (error) {
    onFault(error);
    return null;
  }
}
