import type { Keystore } from '@agent-wallet/keystore';
import type { Logger } from '@agent-wallet/process';
import type { Metrics } from '../metrics.ts';

const NEXT_PAGE_MS = 20;
const NEXT_ROUND_MS = 60_000;

/**
 * Seals the session keys of older data keys by the newest one, a page at a time. Each call returns
 * the milliseconds until the next one. After a round the gauge holds how many keys did not open; the
 * next round tries them again.
 */
export function createResealPass({
  keystore,
  log,
  metrics,
}: {
  readonly keystore: Pick<Keystore, 'reseal'>;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'sessionKeysResealed' | 'sessionKeysUnopened'>;
}): () => Promise<number> {
  let after = '';
  let resealed = 0;
  let unopened = 0;
  return async () => {
    const page = await keystore.reseal(after);
    metrics.sessionKeysResealed.inc(page.resealed);
    resealed += page.resealed;
    unopened += page.unopened;
    if (page.next !== null) {
      after = page.next;
      return NEXT_PAGE_MS;
    }
    metrics.sessionKeysUnopened.set(unopened);
    if (resealed > 0) log.info({ resealed }, 'session keys are sealed by the newest data key');
    if (unopened > 0) {
      log.error({ unopened }, 'session keys of an older data key do not open: see the runbook');
    }
    after = '';
    resealed = 0;
    unopened = 0;
    return NEXT_ROUND_MS;
  };
}
