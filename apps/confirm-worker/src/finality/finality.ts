import type { SignatureStatus } from '@agent-wallet/chain';
import type { LandedSpend } from '@agent-wallet/spend';

/** An endpoint that lags may miss a landing for some seconds; after that it is gone. */
const GONE_AFTER_MS = 10_000;

/** What the chain says of a landing that was written down. */
type Finality = 'final' | 'open' | 'gone' | 'succeeded_after_all' | 'failed_after_all';

/** The finality of a landing, by the status of its signature. Silence is never a verdict. */
export function finalityOf(landed: LandedSpend, status: SignatureStatus | null): Finality {
  if (status === null) return landed.settledMsAgo < GONE_AFTER_MS ? 'open' : 'gone';
  if (status.confirmationStatus !== 'finalized') return 'open';
  const failed = status.err !== null;
  if (failed === landed.landedError) return 'final';
  return failed ? 'failed_after_all' : 'succeeded_after_all';
}
