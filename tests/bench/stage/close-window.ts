import type { Wallet } from './open-stage.ts';

const DAYS_AHEAD = 3;

/** Sets a time window of the wallet that is closed now, so that each of its spends is refused. */
export async function closeWindow({ owner }: Wallet): Promise<void> {
  await owner.client.setPolicy({ url_allowlist: [], time_window: openInDays(DAYS_AHEAD) });
}

/** A time window that is open on one day a week, that many days from now. */
function openInDays(days: number) {
  const dayFromMonday = (new Date().getUTCDay() + 6 + days) % 7;
  return { start_min: 0, end_min: 1_439, days: 1 << dayFromMonday, timezone: 'UTC' };
}
