import { type AuditRow, listAudit } from '@agent-wallet/audit';
import { addService } from '@agent-wallet/spend';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { System } from '@agent-wallet/local-system/system/start-system.ts';
import { type CallOptions, sendRequest, type TextReply } from './call-api.ts';
import { createHttpOwner } from './http-owner.ts';
import type { LaneFixture } from '../system/lane-fixture.ts';

const FUNDS = 100_000_000n;

export type ServiceRequest = {
  readonly baseUrl: string;
  readonly proof: 'x402' | 'x-payment-proof';
  readonly payTo: string;
  readonly maxPrice?: bigint;
  readonly method?: 'GET' | 'POST';
  readonly enabled?: boolean;
};

export type SpendRequest = {
  readonly slug: string;
  readonly path?: string;
  readonly body?: unknown;
  readonly max_amount?: string;
  /** Value of `Idempotency-Key`. */
  readonly key?: string;
  /** Value of `Prefer`. */
  readonly prefer?: string;
};

/** The reply; `body` is its JSON object, null when there is none. */
export type ServiceAnswer = TextReply & {
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly signature: string | null;
};

/**
 * An agent with an API key whose session may pay one service, with access to its wallet's balance
 * and log.
 */
export type PayingAgent = {
  readonly walletId: string;
  readonly sessionId: string;
  /** Adds an entry to the catalog and returns its slug. */
  enlist(request: ServiceRequest): Promise<string>;
  spend(request: SpendRequest): Promise<ServiceAnswer>;
  read(path: string): Promise<ServiceAnswer>;
  /** Base units in the vault. */
  vault(): Promise<bigint>;
  /** The log of this session, oldest first. */
  log(): Promise<readonly AuditRow[]>;
};

const record = z.record(z.string(), z.unknown());

/** Creates a wallet with 100 USDC and one session over HTTP. */
export async function createPayingAgent(
  system: System,
  fixture: LaneFixture,
  recipients: readonly string[],
): Promise<PayingAgent> {
  const owner = await createHttpOwner(system, fixture, FUNDS);
  const session = await owner.createSession({ recipients, maxPerTx: 10_000_000n });

  async function call(
    method: 'GET' | 'POST',
    path: string,
    { headers, body }: CallOptions = {},
  ): Promise<ServiceAnswer> {
    const authorization = `Bearer ${session.apiKey}`;
    const request = { headers: { authorization, ...headers }, body };
    const reply = await sendRequest(system, method, path, request);
    const isJson = reply.headers.get('content-type')?.includes('json') === true;
    const parsed = record.safeParse(isJson && reply.text !== '' ? JSON.parse(reply.text) : null);
    return {
      ...reply,
      body: parsed.success ? parsed.data : null,
      signature: reply.headers.get('x-tx-signature'),
    };
  }

  return {
    walletId: owner.walletId,
    sessionId: session.sessionId,
    enlist: async ({ maxPrice = 1_000_000n, method, enabled = true, ...request }) => {
      const slug = `s-${randomUUID()}`;
      const entry = { ...request, slug, name: slug, maxPrice, enabled, method: method ?? null };
      await addService(fixture.db, entry);
      return slug;
    },
    spend: ({ key, prefer, ...request }) =>
      call('POST', '/v1/spend/service', {
        headers: {
          ...(key === undefined ? {} : { 'idempotency-key': key }),
          ...(prefer === undefined ? {} : { prefer }),
        },
        body: { max_amount: '1000000', ...request },
      }),
    read: (path) => call('GET', path),
    vault: () => fixture.balance(owner.vaultUsdcAta),
    log: async () => {
      const { walletId } = owner;
      const { sessionId } = session;
      const rows = await listAudit(fixture.db, { walletId, sessionId, limit: 200 });
      return rows.toReversed();
    },
  };
}
