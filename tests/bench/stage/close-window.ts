import { callApi } from '../../support/http/call-api.ts';
import type { Stage, Wallet } from './open-stage.ts';

const DAYS_AHEAD = 3;

/** Sets a time window of the wallet that is closed now, so that each of its spends is refused. */
export async function closeWindow({ system }: Stage, { owner }: Wallet): Promise<void> {
  const { status } = await callApi(system, 'PUT', '/v1/wallet/policy', {
    headers: { cookie: owner.cookie },
    body: { url_allowlist: [], time_window: openInDays(DAYS_AHEAD) },
  });
  if (status !== 200) throw new Error(`the policy was refused with ${status}`);
}

/** A time window that is open on one day a week, that many days from now. */
function openInDays(days: number): object {
  const dayFromMonday = (new Date().getUTCDay() + 6 + days) % 7;
  return { start_min: 0, end_min: 1_439, days: 1 << dayFromMonday, timezone: 'UTC' };
}
