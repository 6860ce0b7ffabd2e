import { createHash } from 'node:crypto';
import type { Facilitator, NewDelivery, SpendKind } from '@agent-wallet/spend';
import { startSpan } from '@agent-wallet/tracing';
import type { Agent } from '@agent-wallet/wallet';
import type { FastifyRequest } from 'fastify';
import type { AgentAuth } from '../auth/authenticate-agent.ts';
import type { AcceptanceFault } from './accept/acceptance-fault.ts';
import { readIdempotencyKey, readWait, type Wait } from './spend-headers.ts';

/** What every request for a spend carries, whatever it pays for. */
export type RequestFrame = Wait & {
  readonly agent: Agent;
  readonly idempotencyKey: string | null;
  /** Two requests under one Idempotency-Key are the same request when their digests are equal. */
  readonly digest: Buffer;
  /** Called with the spend's id once the spend is accepted. */
  readonly onAccepted: (spendId: string) => void;
  /** Called when a fault kept the spend from being accepted, or left open whether it was. */
  readonly onNotAccepted: (fault: AcceptanceFault) => void;
};

/** One spend as an agent requests it. Amounts in base units. */
export type SpendRequest = RequestFrame & {
  readonly kind: SpendKind;
  readonly amount: bigint;
  readonly recipient: string | null;
  readonly url: string | null;
  readonly facilitator?: Facilitator;
  readonly delivery?: NewDelivery;
};

/** The frame of an HTTP request with that body content. Throws 400 for a bad header. */
export function readFrame(
  request: FastifyRequest,
  agents: Pick<AgentAuth, 'agentOf'>,
  content: readonly (string | null)[],
): RequestFrame {
  const agent = agents.agentOf(request);
  const endAcceptance = startSpan('accept');
  return {
    agent,
    idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
    digest: digestOf(content),
    ...readWait(request.headers['prefer']),
    onAccepted: (spendId) => {
      const { walletId, sessionId } = agent;
      // Once for each spend: a repeated request accepts nothing.
      endAcceptance({ spendId, walletId, sessionId }, { isRoot: true });
      request.log.info({ spend_id: spendId }, 'spend accepted');
    },
    onNotAccepted: ({ cause, sqlState }) =>
      request.log.warn(
        { session_id: agent.sessionId, cause, sql_state: sqlState },
        'spend not accepted',
      ),
  };
}

function digestOf(content: readonly (string | null)[]): Buffer {
  return createHash('sha256').update(JSON.stringify(content)).digest();
}
