import { recordDenial } from '@agent-wallet/audit';
import type { Database } from '@agent-wallet/db';
import type { Wish } from './accept-when-liquid.ts';

/** Writes the one deny row of an ask that was refused before acceptance. */
export async function denyRequest(
  db: Database,
  ask: Pick<Wish, 'agent' | 'kind' | 'amount' | 'recipient' | 'url'>,
  reason: string,
  detail: string | null,
): Promise<void> {
  const { agent, kind, amount, recipient, url } = ask;
  const { walletId, sessionId } = agent;
  // What Postgres cannot hold, or would hold differently from what was hashed, is written out.
  const recipientOrUrl = url?.toWellFormed().replaceAll('\0', '%00') ?? recipient;
  await recordDenial(db, {
    walletId,
    sessionId,
    action: kind,
    amount,
    recipient,
    recipientOrUrl,
    reason,
    detail,
  });
}
