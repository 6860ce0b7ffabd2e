import {
  createSessionAnswer,
  createSessionBody,
  emptyBody,
  rotateKeyAnswer,
  sessionAnswer,
  sessionListAnswer,
  sessionParams,
} from '@agent-wallet/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { issueKey } from '../../auth/api-key.ts';
import { refuse, REFUSALS } from '../../http/http-refusal.ts';
import { readIdempotencyKey } from '../../spend/spend-headers.ts';
import { createCreateSession } from '../../session/create-session.ts';
import { readSessions, requireSession } from '../../session/find-session.ts';
import { describeSession } from '../../session/session-view.ts';
import { listSessions, replaceKey, findWallet } from '@agent-wallet/wallet';
import { DEADLINE_NOTE, type OwnerDeps } from './owner-deps.ts';

/** Maximum length of the list: the newest sessions. */
const LISTED_SESSIONS = 500;

/** The owner's sessions: create, read, rotate the key. */
export function sessionRoutes(deps: OwnerDeps): FastifyPluginAsyncZod {
  const { db, owners } = deps;
  const createSession = createCreateSession(deps);
  const nowSeconds = () => BigInt(Math.floor(deps.nowMs() / 1000));

  return async (app) => {
    app.post(
      '/v1/session',
      {
        config: {
          doc: {
            tag: 'Sessions',
            caller: 'owner',
            summary: 'Create a session for an agent',
            description: `Assigns one of the session keys that the backend holds, and issues the bearer key of the agent, which is shown once. The transaction names the index of the next session of the vault: when another session has been created in the meantime, the program refuses it (\`SessionIndexMismatch\`); then request the session again. ${DEADLINE_NOTE}`,
            errors: [
              'WALLET_NOT_FOUND',
              'WALLET_NOT_ACTIVE',
              'IDEMPOTENCY_KEY_REUSED',
              'SESSION_KEYS_NOT_READY',
              'RPC_UNAVAILABLE',
            ],
            createsOnce: true,
          },
        },
        schema: { body: createSessionBody, response: { 200: createSessionAnswer, ...REFUSALS } },
      },
      async (request) => {
        const { owner } = owners.ownerOf(request);
        const key = readIdempotencyKey(request.headers['idempotency-key']);
        const created = await createSession(owner, request.body, key);
        return {
          session_id: created.sessionId,
          session_pda: created.sessionPda,
          session_pubkey: created.sessionPubkey,
          api_key: created.apiKey,
          txBase64: created.txBase64,
        };
      },
    );

    app.get(
      '/v1/session',
      {
        config: {
          doc: {
            tag: 'Sessions',
            caller: 'owner',
            summary: 'List the sessions',
            errors: ['RPC_UNAVAILABLE'],
          },
        },
        schema: { response: { 200: sessionListAnswer, ...REFUSALS } },
      },
      async (request) => {
        const { owner } = owners.ownerOf(request);
        if ((await findWallet(db, owner)) === null) return { items: [] };
        const rows = await listSessions(db, owner, LISTED_SESSIONS);
        const onChain = await readSessions(deps, owner, rows);
        const now = nowSeconds();
        return {
          items: rows.map((row, i) =>
            describeSession(row, onChain[i] ?? { slot: 0n, state: null }, now),
          ),
        };
      },
    );

    app.get(
      '/v1/session/:id',
      {
        config: {
          doc: {
            tag: 'Sessions',
            caller: 'owner',
            summary: 'Read a session',
            errors: ['SESSION_NOT_FOUND', 'RPC_UNAVAILABLE'],
          },
        },
        schema: { params: sessionParams, response: { 200: sessionAnswer, ...REFUSALS } },
      },
      async (request) => {
        const { owner } = owners.ownerOf(request);
        const row = await requireSession(deps, owner, request.params.id);
        const [onChain = { slot: 0n, state: null }] = await readSessions(deps, owner, [row]);
        return describeSession(row, onChain, nowSeconds());
      },
    );

    app.post(
      '/v1/session/:id/rotate-key',
      {
        config: {
          doc: {
            tag: 'Sessions',
            caller: 'owner',
            summary: 'Replace the bearer key of a session',
            description: 'The old key is refused at once with 401 `api key revoked`.',
            errors: ['SESSION_NOT_FOUND', 'SESSION_ALREADY_REVOKED'],
          },
        },
        schema: {
          params: sessionParams,
          body: emptyBody,
          response: { 200: rotateKeyAnswer, ...REFUSALS },
        },
      },
      async (request) => {
        const row = await requireSession(deps, owners.ownerOf(request).owner, request.params.id);
        if (row.status === 'revoked') throw refuse('SESSION_ALREADY_REVOKED');
        const { sessionId, walletId } = row;
        const { apiKey, keyHash, keyPrefix } = issueKey(deps.keyPrefix, deps.pepper);
        await replaceKey(db, { sessionId, walletId, keyHash, keyPrefix });
        return { session_id: sessionId, api_key: apiKey };
      },
    );
  };
}
