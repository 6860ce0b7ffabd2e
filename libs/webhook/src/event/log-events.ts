import { type AuditRow, describeAuditRow } from '@agent-wallet/audit';
import type { NewDelivery } from '../delivery/insert-deliveries.ts';
import type { Webhook } from '../endpoint/endpoint.ts';
import { writeEvent } from './write-event.ts';

/** Reason of a refusal by the daily cap: the name of the program's error. */
export const DAILY_CAP_EXCEEDED = 'DailyCapExceeded';

/**
 * The event of a row of the audit log; null for the owner's own instructions. The same row gives the
 * same id, also for another webhook.
 */
export function eventOfRow(row: AuditRow): NewDelivery | null {
  if (row.sessionId === null) return null;
  const type = typeOf(row);
  return {
    eventId: `evt_${row.auditId.replaceAll('-', '')}`,
    type,
    sessionId: row.sessionId,
    body: writeEvent({ type, at: row.createdAt, data: describeAuditRow(row) }),
  };
}

function typeOf({ correction, decision }: AuditRow): Webhook['events'][number] {
  if (correction > 0) return 'spend.corrected';
  return decision === 'allow' ? 'spend.settled' : 'spend.refused';
}
