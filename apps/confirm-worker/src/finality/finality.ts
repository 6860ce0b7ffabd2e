import type { SignatureStatus } from '@agent-wallet/chain';
import type { LandedSpend } from '@agent-wallet/spend';

/** A lagging endpoint may miss a landing for some seconds; after that the landing is gone. */
const GONE_AFTER_MS = 10_000;

/** A landing is final after about 13 s. Later it is looked at whatever the finalized slot says. */
const FINAL_WITHIN_MS = 15_000;

/** Whether a look can find the landing final: before that, it would find it open. */
export function isDueForFinality(
  { landedSlot, settledMsAgo }: Pick<LandedSpend, 'landedSlot' | 'settledMsAgo'>,
  finalizedSlot: bigint,
): boolean {
  return landedSlot <= finalizedSlot || settledMsAgo >= FINAL_WITHIN_MS;
}

/** The state on chain of a landing that was recorded. */
type Finality = 'final' | 'open' | 'gone' | 'succeeded_after_all' | 'failed_after_all';

/** Returns the finality of a landing from the status of its signature. */
export function finalityOf(landed: LandedSpend, status: SignatureStatus | null): Finality {
  if (status === null) return landed.settledMsAgo < GONE_AFTER_MS ? 'open' : 'gone';
  if (status.confirmationStatus !== 'finalized') return 'open';
  const failed = status.err !== null;
  if (failed === landed.landedError) return 'final';
  return failed ? 'failed_after_all' : 'succeeded_after_all';
}
