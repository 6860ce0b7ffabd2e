import {
  emptyBody,
  limitsBody,
  type LimitsBody,
  recipientsBody,
  sessionParams,
} from '@agent-wallet/contract';
import type { SessionState } from '@agent-wallet/chain';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { requireSessionOnChain } from '../../session/find-session.ts';
import { badRequest, refuse } from '../../http/http-refusal.ts';
import { refuseUnpayable } from '../../session/payable-recipients.ts';
import { DEADLINE_NOTE, type OwnerDeps, TRANSACTION_RESPONSES } from './owner-deps.ts';

/** Transactions for the owner to change or revoke a session. */
export function sessionChangeRoutes(deps: OwnerDeps): FastifyPluginAsyncZod {
  const { owners } = deps;
  const { transactions } = deps.chain;
  return async (app) => {
    app.put(
      '/v1/session/:id/recipients',
      {
        config: {
          doc: {
            tag: 'Sessions',
            caller: 'owner',
            summary: 'Replace the recipients of a session',
            description: `Amounts already spent still count towards the daily cap. ${DEADLINE_NOTE}`,
            errors: [
              'SESSION_NOT_FOUND',
              'SESSION_NOT_LIVE',
              'SESSION_ALREADY_REVOKED',
              'RPC_UNAVAILABLE',
            ],
          },
        },
        schema: { params: sessionParams, body: recipientsBody, response: TRANSACTION_RESPONSES },
      },
      async (request) => {
        const { owner } = owners.ownerOf(request);
        const { allowed_recipients: recipients } = request.body;
        const { named } = await requireSessionOnChain(deps, owner, request.params.id);
        await refuseUnpayable(deps, owner, recipients);
        return { txBase64: await transactions.updateAllowlist(owner, named, recipients) };
      },
    );

    app.patch(
      '/v1/session/:id',
      {
        config: {
          doc: {
            tag: 'Sessions',
            caller: 'owner',
            summary: 'Change limits of a session',
            description: `Omitted limits keep the value that they have on chain at the time of the request. A new expiry makes an expired session live again. ${DEADLINE_NOTE}`,
            errors: [
              'SESSION_NOT_FOUND',
              'SESSION_NOT_LIVE',
              'SESSION_ALREADY_REVOKED',
              'RPC_UNAVAILABLE',
              'SESSION_EXPIRED',
            ],
          },
        },
        schema: { params: sessionParams, body: limitsBody, response: TRANSACTION_RESPONSES },
      },
      async (request) => {
        const { owner } = owners.ownerOf(request);
        const { named, state } = await requireSessionOnChain(deps, owner, request.params.id);
        const limits = mergeLimits(state, request.body, deps.nowMs() / 1000);
        return { txBase64: await transactions.updateLimits(owner, named, limits) };
      },
    );

    app.post(
      '/v1/session/:id/revoke',
      {
        config: {
          doc: {
            tag: 'Sessions',
            caller: 'owner',
            summary: 'Revoke a session',
            description: 'The session is revoked once the transaction is confirmed on chain.',
            errors: [
              'SESSION_NOT_FOUND',
              'SESSION_NOT_LIVE',
              'SESSION_ALREADY_REVOKED',
              'RPC_UNAVAILABLE',
            ],
          },
        },
        schema: {
          params: sessionParams,
          body: emptyBody,
          response: TRANSACTION_RESPONSES,
        },
      },
      async (request) => {
        const { owner } = owners.ownerOf(request);
        const { named } = await requireSessionOnChain(deps, owner, request.params.id);
        return { txBase64: await transactions.revokeSession(owner, named) };
      },
    );
  };
}

/** The program sets all limits at once: omitted ones keep their current value on chain. */
function mergeLimits(state: SessionState, body: LimitsBody, nowSeconds: number) {
  if (body.expiry !== undefined && body.expiry <= nowSeconds) {
    throw badRequest('expiry must be in the future, in unix seconds');
  }
  if (body.expiry === undefined && Number(state.expiry) <= nowSeconds) {
    throw refuse('SESSION_EXPIRED');
  }
  return {
    maxPerTx: body.max_per_tx ?? state.maxPerTx,
    dailyCap: body.daily_cap ?? state.dailyCap,
    expiry: body.expiry === undefined ? state.expiry : BigInt(body.expiry),
    allowedInstructions: body.allowed_instructions ?? state.allowedInstructions,
  };
}
