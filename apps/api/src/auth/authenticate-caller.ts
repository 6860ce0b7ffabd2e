import type { Agent } from '@agent-wallet/wallet';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AgentAuth } from './authenticate-agent.ts';
import { type OwnerAuth, SESSION_COOKIE } from './authenticate-owner.ts';

/** The caller of a route for both: an owner, or the agent of a session. */
export type Caller =
  | { readonly kind: 'owner'; readonly owner: string }
  | { readonly kind: 'agent'; readonly agent: Agent };

export type CallerAuth = {
  /** Runs before the body is read: 401, then 429. */
  readonly authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** The caller of an authenticated request. */
  readonly callerOf: (request: FastifyRequest) => Caller;
};

/** Authenticates owners by cookie and agents by key. A request with the cookie is an owner's. */
export function createCallerAuth(owners: OwnerAuth, agents: AgentAuth): CallerAuth {
  return {
    authenticate: (request, reply) =>
      isAgents(request) ? agents.authenticate(request, reply) : owners.authenticate(request, reply),
    callerOf: (request) =>
      isAgents(request)
        ? { kind: 'agent', agent: agents.agentOf(request) }
        : { kind: 'owner', owner: owners.ownerOf(request).owner },
  };
}

const isAgents = ({ cookies, headers }: FastifyRequest): boolean =>
  cookies[SESSION_COOKIE] === undefined && headers.authorization !== undefined;
