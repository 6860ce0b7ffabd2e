import { spendsAnswer, spendsQuery } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import { findSpends, listSpends } from '@agent-wallet/spend';
import { findWallet } from '@agent-wallet/wallet';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Caller, CallerAuth } from '../../auth/authenticate-caller.ts';
import { badRequest, REFUSALS } from '../../http/http-refusal.ts';
import { isUuid } from '../../http/request-id.ts';
import { describeOutcome } from '../describe-outcome.ts';

type Deps = { readonly db: Database; readonly callers: CallerAuth };

/** The spends that a caller may see: of the session of an agent, of the wallet of an owner. */
type Scope = { readonly walletId: string; readonly sessionId?: string };

const CURSOR_PREFIX = 's1.';

/** Spends, newest first: an agent's own, or those of an owner's wallet. */
export function spendsRoutes({ db, callers }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/v1/spends',
      {
        config: {
          doc: {
            tag: 'Spending',
            caller: 'owner or agent',
            summary: 'List spends',
            description:
              'Pending ones too. An owner sees those of the wallet, an agent those of its session. A request with the cookie is the owner’s.',
          },
        },
        schema: { querystring: spendsQuery, response: { 200: spendsAnswer, ...REFUSALS } },
        onRequest: callers.authenticate,
      },
      async (request) => {
        const {
          session_id: wanted,
          status: outcome,
          kind,
          from,
          to,
          cursor,
          limit,
        } = request.query;
        const beforeId = cursor === undefined ? undefined : readCursor(cursor);
        const scope = await scopeOf(db, callers.callerOf(request));
        if (scope === null || (scope.sessionId ?? wanted) !== (wanted ?? scope.sessionId)) {
          return { items: [], next_cursor: null };
        }
        if (beforeId !== undefined) await requireOwn(db, scope, beforeId);
        const sessionId = scope.sessionId ?? wanted;
        const filters = { sessionId, outcome, kind, from, to, beforeId };
        // One extra row shows whether there is a next page.
        const { walletId } = scope;
        const rows = await listSpends(db, { walletId, ...filters, limit: limit + 1 });
        const page = rows.slice(0, limit);
        const last = page.at(-1);
        return {
          items: page.map((spend) => ({ ...describeOutcome(spend), session_id: spend.sessionId })),
          next_cursor: rows.length > limit && last !== undefined ? writeCursor(last.spendId) : null,
        };
      },
    );
  };
}

/** Null for an owner without a wallet. */
async function scopeOf(db: Database, caller: Caller): Promise<Scope | null> {
  if (caller.kind === 'agent') return caller.agent;
  const wallet = await findWallet(db, caller.owner);
  return wallet === null ? null : { walletId: wallet.walletId };
}

/** A spend of somebody else is refused like one that does not exist. */
async function requireOwn(db: Database, scope: Scope, spendId: string): Promise<void> {
  const [spend] = await findSpends(db, [spendId]);
  const { walletId, sessionId = spend?.sessionId } = scope;
  if (spend?.walletId !== walletId || spend.sessionId !== sessionId) throw notOurs();
}

const writeCursor = (spendId: string): string =>
  Buffer.from(`${CURSOR_PREFIX}${spendId}`).toString('base64url');

/** Throws 400 for any text that is not a cursor of ours. */
function readCursor(cursor: string): string {
  const text = cursor.length > 64 ? '' : Buffer.from(cursor, 'base64url').toString('latin1');
  const spendId = text.slice(CURSOR_PREFIX.length);
  if (!text.startsWith(CURSOR_PREFIX) || !isUuid(spendId)) throw notOurs();
  return spendId;
}

const notOurs = () => badRequest('cursor must be a next_cursor of an earlier answer');
