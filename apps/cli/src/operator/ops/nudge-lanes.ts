import type { Database } from '@agent-wallet/db';
import { openLaneQueue } from '@agent-wallet/queue';
import { listIdleLanes } from '@agent-wallet/spend';
import { CliError } from '../../cli-error.ts';
import type { OpsConfig } from '../config.ts';

const MAX_WALLETS = 100_000;

/**
 * Nudges the wallets with a queued spend in a free lane, or one wallet whatever it has. Returns how
 * many. Throws a CliError when the queue did not take a nudge.
 */
export async function nudgeLanes(
  config: OpsConfig,
  db: Database,
  { walletId }: { readonly walletId: string | null },
): Promise<number> {
  const faults: Error[] = [];
  const queue = await openLaneQueue(config, (fault) => faults.push(fault));
  try {
    const idle = await listIdleLanes(db, { waitedMs: 0, limit: MAX_WALLETS });
    const lanes = idle.filter((lane) => walletId === null || lane.walletId === walletId);
    await Promise.all([
      ...lanes.map(({ walletId: id, ...lane }) => queue.nudge(id, lane)),
      ...(walletId === null ? [] : [queue.nudge(walletId)]),
    ]);
    const [fault] = faults;
    if (fault !== undefined) {
      throw new CliError(`The queue did not take the nudges: ${fault.message}.`, { cause: fault });
    }
    return walletId === null ? lanes.length : 1;
  } finally {
    await queue.close();
  }
}
