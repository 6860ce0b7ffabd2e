import { describeAuditRow, listAudit } from '@agent-wallet/audit';
import { auditAnswer, auditQuery } from '@agent-wallet/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { badRequest, REFUSALS } from '../../http/http-refusal.ts';
import { findWallet } from '@agent-wallet/wallet';
import type { OwnerDeps } from './owner-deps.ts';

const CURSOR_PREFIX = 'a1.';

/** The owner's audit log: allowed and denied, newest first. */
export function auditRoutes({ db, owners }: OwnerDeps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/v1/audit',
      {
        config: {
          doc: {
            tag: 'Audit',
            caller: 'owner',
            summary: 'Read the audit log',
            description:
              'Requests refused with 400, 401, 404, 409, 429, or with 503 before acceptance, write no row.',
          },
        },
        schema: {
          querystring: auditQuery,
          response: { 200: auditAnswer, ...REFUSALS },
        },
      },
      async (request) => {
        const { decision, session_id: sessionId, from, to, cursor, limit } = request.query;
        const beforeSeq = cursor === undefined ? undefined : readCursor(cursor);
        const wallet = await findWallet(db, owners.ownerOf(request).owner);
        if (wallet === null) return { items: [], next_cursor: null };
        // One extra row shows whether there is a next page.
        const rows = await listAudit(db, {
          walletId: wallet.walletId,
          decision,
          sessionId,
          from,
          to,
          beforeSeq,
          limit: limit + 1,
        });
        const page = rows.slice(0, limit);
        const last = page.at(-1);
        return {
          items: page.map(describeAuditRow),
          next_cursor: rows.length > limit && last !== undefined ? writeCursor(last.seq) : null,
        };
      },
    );
  };
}

const writeCursor = (seq: bigint): string =>
  Buffer.from(`${CURSOR_PREFIX}${seq}`).toString('base64url');

/** Throws 400 for any text that is not a cursor of ours. */
function readCursor(cursor: string): bigint {
  const text = cursor.length > 64 ? '' : Buffer.from(cursor, 'base64url').toString('latin1');
  const seq = /^a1\.([1-9][0-9]{0,17})$/.exec(text)?.[1];
  if (seq === undefined) throw badRequest('cursor must be a next_cursor of an earlier answer');
  return BigInt(seq);
}
