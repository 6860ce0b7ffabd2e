import type { Database } from '@agent-wallet/db';
import type { FastifyRequest } from 'fastify';
import { sql } from 'slonik';
import { z } from 'zod';
import { type HttpRefusal, rateLimited, refuse } from '../http/http-refusal.ts';
import { hashKey, hasKeyFormat } from './api-key.ts';
import type { RateLimiter } from './rate-limiter.ts';

const agentRow = z.object({
  sessionId: z.string(),
  walletId: z.string(),
  sessionPda: z.string(),
  vaultPda: z.string(),
  vaultUsdcAta: z.string(),
  keyRevoked: z.boolean(),
  sessionRevoked: z.boolean(),
});

/** The session that an agent's key speaks for. */
export type Agent = Pick<
  z.output<typeof agentRow>,
  'sessionId' | 'walletId' | 'sessionPda' | 'vaultPda' | 'vaultUsdcAta'
>;

export type AgentAuth = {
  /** Runs before the body is read: 401, then 429. */
  readonly authenticate: (request: FastifyRequest) => Promise<void>;
  /** The agent of a request that was authenticated. */
  readonly agentOf: (request: FastifyRequest) => Agent;
};

/** Bearer keys. Nothing about a key is remembered beyond the request. */
export function createAgentAuth(deps: {
  readonly db: Database;
  readonly pepper: string;
  readonly limit: RateLimiter;
}): AgentAuth {
  const agents = new WeakMap<FastifyRequest, Agent>();
  return {
    authenticate: async (request) => {
      const token = readBearer(request.headers.authorization);
      const agent = await findAgent(deps.db, hashKey(token, deps.pepper));
      if (agent === null) throw unauthorized('INVALID_API_KEY');
      if (agent.keyRevoked) throw unauthorized('API_KEY_REVOKED');
      if (agent.sessionRevoked) throw unauthorized('SESSION_REVOKED');
      const retryAfterSeconds = deps.limit(agent.sessionId);
      if (retryAfterSeconds !== null) throw rateLimited(retryAfterSeconds);
      agents.set(request, agent);
    },
    agentOf: (request) => {
      const agent = agents.get(request);
      if (agent === undefined) throw new Error('the route does not authenticate agents');
      return agent;
    },
  };
}

function readBearer(header: string | undefined): string {
  const token = /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
  if (token === undefined) throw unauthorized('MISSING_BEARER_TOKEN');
  if (!hasKeyFormat(token)) throw unauthorized('INVALID_TOKEN_FORMAT');
  return token;
}

type KeyRefusal =
  | 'MISSING_BEARER_TOKEN'
  | 'INVALID_TOKEN_FORMAT'
  | 'INVALID_API_KEY'
  | 'API_KEY_REVOKED'
  | 'SESSION_REVOKED';

const unauthorized = (name: KeyRefusal): HttpRefusal =>
  refuse(name, {}, { headers: { 'www-authenticate': 'Bearer' } });

async function findAgent(db: Database, keyHash: Buffer): Promise<z.output<typeof agentRow> | null> {
  return db.maybeOne(sql.type(agentRow)`
    select k.session_id as "sessionId", k.wallet_id as "walletId",
      s.session_pda as "sessionPda", w.vault_pda as "vaultPda",
      w.vault_usdc_ata as "vaultUsdcAta", k.revoked_at is not null as "keyRevoked",
      s.status = 'revoked' as "sessionRevoked"
    from api_key k
    join session s on s.session_id = k.session_id
    join wallet w on w.wallet_id = k.wallet_id
    where k.key_hash = ${sql.binary(keyHash)}
  `);
}
