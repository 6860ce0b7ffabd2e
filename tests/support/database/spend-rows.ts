import { randomUUID } from 'node:crypto';
import { createDatabase, type Database } from '@agent-wallet/db';
import {
  acceptSpend,
  type NewSpend,
  findSpends,
  readLane,
  releaseLease,
  settleAttempts,
  type SignedAttempt,
  type Spend,
} from '@agent-wallet/spend';
import { sql, type FragmentSqlToken } from 'slonik';
import { afterAll, expect } from 'vitest';
import { z } from 'zod';
import { claimSpend, holdLane } from './lane-rows.ts';
import {
  FACILITATED,
  failOnFailure,
  newAddress,
  newSignature,
  requestedTransfer,
  settlementOf,
  signedFor,
  type Told,
} from './made-up-spends.ts';
import {
  FACILITATED_STATES,
  type FacilitatedState,
  LEAD_TO,
  type SpendState,
} from './spend-states.ts';
import { createTestDatabase } from './test-database.ts';

export type RowSession = {
  readonly walletId: string;
  readonly sessionId: string;
  readonly vaultPda: string;
  readonly sessionPda: string;
  readonly sessionPubkey: string;
};

type AuditFact = {
  readonly correction: number;
  readonly decision: string;
  readonly reason: string | null;
};

type SetColumns = (id: string, columns: FragmentSqlToken) => Promise<void>;

/**
 * A database with rows of wallets, sessions and spends, changed only by the verbs of the spend
 * package. There is no chain: signatures and bytes are made up.
 */
export type SpendRows = AsyncDisposable & {
  readonly db: Database;
  readonly url: string;
  createWallet(): Promise<string>;
  /** A live session with a free lane, in a new wallet when none is given. */
  createSession(walletId?: string): Promise<RowSession>;
  /** Accepts a transfer. */
  accept(session: RowSession, request?: Partial<NewSpend>): Promise<Spend>;
  /** Claims under a new lease and releases the lane. */
  claim(spend: Spend): Promise<SignedAttempt>;
  settle(spend: Spend, told: Told, attemptNo?: number): Promise<void>;
  /** The current row of a new spend that was led to that state. */
  spendIn(
    state: SpendState | FacilitatedState,
    session?: RowSession,
    request?: Partial<NewSpend>,
  ): Promise<Spend>;
  /** The current row. */
  read(spendId: string): Promise<Spend>;
  /** Change columns regardless of the rules: of a spend, all its attempts, a session, its lane. */
  readonly setSpend: SetColumns;
  readonly setAttempts: SetColumns;
  readonly setWatch: SetColumns;
  readonly setSession: SetColumns;
  readonly setLane: SetColumns;
  auditOf(spendId: string): Promise<readonly AuditFact[]>;
  /** Records a landing of the session on the chain under that id, regardless of the rows. */
  landed(
    session: Pick<RowSession, 'vaultPda' | 'sessionPda'>,
    spendId: string,
    data?: Readonly<Record<string, string | null>>,
  ): Promise<void>;
  /** Writes a decision on a spend, with which no other can be written. */
  blockDecision(spend: Spend): Promise<void>;
  /** Moves the acceptance of a spend into the past. */
  age(spendId: string, seconds: number): Promise<void>;
};

const auditFact = z.object({
  correction: z.number(),
  decision: z.string(),
  reason: z.string().nullable(),
});

/** The rows of a test file, which are dropped after its last test. */
export async function useSpendRows(): Promise<SpendRows> {
  const rows = await openSpendRows();
  afterAll(() => rows[Symbol.asyncDispose]());
  return rows;
}

export async function openSpendRows(): Promise<SpendRows> {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const db = await createDatabase({ url: database.url, poolSize: 10 });
  stack.defer(() => db.end());

  async function createWallet(): Promise<string> {
    return db.oneFirst(sql.type(z.object({ walletId: z.string() }))`
      insert into wallet (owner, vault_pda, vault_usdc_ata, status, active_slot)
      values (${newAddress()}, ${newAddress()}, ${newAddress()}, 'active', 1)
      returning wallet_id as "walletId"
    `);
  }

  async function createSession(givenWalletId?: string): Promise<RowSession> {
    const walletId = givenWalletId ?? (await createWallet());
    const sessionId = randomUUID();
    const [sessionPubkey, sessionPda] = [newAddress(), newAddress()];
    await db.query(sql.unsafe`
      insert into session_key (pubkey, sealed, key_version, session_id)
      values (${sessionPubkey}, ${sql.binary(Buffer.from('sealed'))}, 1, ${sessionId}::uuid)
    `);
    await db.query(sql.unsafe`
      insert into session (session_id, wallet_id, session_pubkey, session_pda, session_index,
        max_per_tx, daily_cap, expiry, allowed_recipients, allowed_instructions, status, live_slot)
      values (${sessionId}::uuid, ${walletId}::uuid, ${sessionPubkey}, ${sessionPda}, 0,
        1000000, 5000000, 4000000000, '{}', 1, 'live', 900)
    `);
    await db.query(sql.unsafe`
      insert into lane (session_id, wallet_id) values (${sessionId}::uuid, ${walletId}::uuid)
    `);
    const vaultPda = await db.oneFirst(sql.type(z.object({ vault: z.string() }))`
      select vault_pda as vault from wallet where wallet_id = ${walletId}::uuid
    `);
    return { walletId, sessionId, vaultPda, sessionPda, sessionPubkey };
  }

  async function accept(session: RowSession, request: Partial<NewSpend> = {}): Promise<Spend> {
    const outcome = await acceptSpend(db, requestedTransfer(session, request));
    if (outcome.kind !== 'accepted') throw new Error(`not accepted: ${outcome.kind}`);
    return outcome.spend;
  }

  async function claim({ spendId, sessionId }: Spend): Promise<SignedAttempt> {
    const spend = await read(spendId);
    const lane = (await readLane(db, sessionId, 0))?.lane;
    const signed = {
      ...signedFor(spend, spend.spendSeq ?? lane?.nextSeq ?? 0n),
      policyVersion: lane?.policyVersion ?? 0,
    };
    const fence = await holdLane(db, sessionId);
    const outcome = await claimSpend(db, { spend, fence, signed });
    if (outcome !== 'claimed') throw new Error(`not claimed: ${outcome}`);
    await releaseLease(db, { sessionId, fence });
    return signed;
  }

  async function read(spendId: string): Promise<Spend> {
    const [spend] = await findSpends(db, [spendId]);
    if (spend === undefined) throw new Error('no such spend');
    return spend;
  }

  const setterOf =
    (table: string, idColumn: string): SetColumns =>
    async (id, columns) => {
      await db.query(sql.unsafe`
        update ${sql.identifier([table])} set ${columns}
        where ${sql.identifier([idColumn])} = ${id}::uuid
      `);
    };

  const rows: SpendRows = {
    db,
    url: database.url,
    createWallet,
    createSession,
    accept,
    claim,
    spendIn: async (state, session, request) => {
      const given = state in FACILITATED_STATES ? { ...FACILITATED, ...request } : request;
      const spend = await accept(session ?? (await createSession()), given);
      await LEAD_TO[state](rows, spend);
      return read(spend.spendId);
    },
    read,
    setSpend: setterOf('spend', 'spend_id'),
    setAttempts: setterOf('attempt', 'spend_id'),
    setWatch: setterOf('attempt_watch', 'spend_id'),
    setSession: setterOf('session', 'session_id'),
    setLane: setterOf('lane', 'session_id'),
    settle: async (spend, told, attemptNo) => {
      const now = await read(spend.spendId);
      await settleAttempts(db, [settlementOf(now, told, attemptNo ?? now.attempt)], {
        onFailure: failOnFailure,
      });
    },
    auditOf: (spendId) =>
      db.any(sql.type(auditFact)`
        select correction, decision, reason from audit
        where spend_id = ${spendId}::uuid order by correction
      `),
    landed: async ({ vaultPda, sessionPda }, spendId, data = {}) => {
      await db.query(sql.unsafe`
        insert into program_event (
          signature, instruction_index, inner_index, slot, name, vault, session_pda, spend_id, data)
        values (${newSignature()}, 0, 0, 1, 'UsdcTransferred', ${vaultPda}, ${sessionPda},
          ${spendId}::uuid, ${JSON.stringify(data)}::jsonb)
      `);
    },
    blockDecision: async ({ walletId, spendId }) => {
      await db.query(sql.unsafe`
        insert into audit (wallet_id, seq, spend_id, action, decision, reason, created_at,
          previous_hash, hash)
        select wallet_id, 1000, ${spendId}::uuid, 'transfer', 'deny', 'planted', now(), audit_head,
          audit_head
        from wallet where wallet_id = ${walletId}::uuid
      `);
    },
    age: (spendId, seconds) =>
      rows.setSpend(
        spendId,
        sql.fragment`created_at = created_at - ${seconds} * interval '1 second'`,
      ),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  return rows;
}

/** Expects the current row of a spend to contain these fields. */
export async function expectSpend(
  rows: SpendRows,
  { spendId }: Pick<Spend, 'spendId'>,
  fields: Partial<Spend>,
): Promise<void> {
  expect(await rows.read(spendId)).toMatchObject(fields);
}
