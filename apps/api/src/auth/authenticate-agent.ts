import { type Database, isSilenceFault } from '@agent-wallet/db';
import { type Agent, findAgents, type FoundAgent } from '@agent-wallet/wallet';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type HttpRefusal, refuse } from '../http/http-refusal.ts';
import { createBatches } from '@agent-wallet/batches';
import { hashKey, keyFormOf, type KeyPrefix } from './api-key.ts';
import { takeRequest } from './quota.ts';
import type { TokenBuckets } from '../limits/rate.ts';

export type AgentAuth = {
  /** Runs before the body is read: 401, then 429. */
  readonly authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** The agent of an authenticated request. */
  readonly agentOf: (request: FastifyRequest) => Agent;
};

const QUERIES_AT_ONCE = 2;
const KEYS_PER_QUERY = 256;
const ONE_QUEUE = '';

/**
 * Authenticates agents by bearer key. Keys that come together are looked up in one query; nothing
 * about a key is cached beyond the request.
 */
export function createAgentAuth(deps: {
  readonly db: Database;
  readonly pepper: string;
  /** Of the keys of this deployment's cluster. */
  readonly keyPrefix: KeyPrefix;
  readonly buckets: TokenBuckets;
}): AgentAuth {
  const agents = new WeakMap<FastifyRequest, Agent>();
  const findAgent = createBatches<Buffer, FoundAgent | null>({
    run: (keyHashes) => findAgents(deps.db, keyHashes),
    concurrency: QUERIES_AT_ONCE,
    maxWeight: KEYS_PER_QUERY,
    endsWaiting: isSilenceFault,
  });
  return {
    authenticate: async (request, reply) => {
      const token = readBearer(request.headers.authorization, deps.keyPrefix);
      const agent = await findAgent(ONE_QUEUE, hashKey(token, deps.pepper));
      if (agent === null) throw unauthorized('INVALID_API_KEY');
      if (agent.keyRevoked) throw unauthorized('API_KEY_REVOKED');
      if (agent.sessionRevoked) throw unauthorized('SESSION_REVOKED');
      await takeRequest({ buckets: deps.buckets, policy: 'session' }, agent.sessionId, reply);
      agents.set(request, agent);
    },
    agentOf: (request) => {
      const agent = agents.get(request);
      if (agent === undefined) throw new Error('the route does not authenticate agents');
      return agent;
    },
  };
}

function readBearer(header: string | undefined, prefix: KeyPrefix): string {
  const token = /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
  if (token === undefined) throw unauthorized('MISSING_BEARER_TOKEN');
  switch (keyFormOf(token, prefix)) {
    case 'ours':
      return token;
    case 'another cluster':
      throw unauthorized('INVALID_API_KEY', {
        detail: `the key belongs to another cluster: keys of this deployment begin with ${prefix}`,
      });
    case 'no key':
      throw unauthorized('INVALID_TOKEN_FORMAT');
  }
}

type KeyRefusal =
  | 'MISSING_BEARER_TOKEN'
  | 'INVALID_TOKEN_FORMAT'
  | 'INVALID_API_KEY'
  | 'API_KEY_REVOKED'
  | 'SESSION_REVOKED';

const unauthorized = (name: KeyRefusal, fields: { readonly detail?: string } = {}): HttpRefusal =>
  refuse(name, fields, { headers: { 'www-authenticate': 'Bearer' } });
