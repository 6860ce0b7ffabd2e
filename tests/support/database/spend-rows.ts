import { randomBytes, randomUUID } from 'node:crypto';
import { createDatabase, type Database } from '@agent-wallet/db';
import {
  acceptSpend,
  type NewSpend,
  cancelQueued,
  type ClaimOutcome,
  claimSpends,
  finalizeSpends,
  findSpends,
  raiseBroadcasts,
  readLane,
  refuseUnbroadcast,
  releaseAttempt,
  releaseLease,
  settleAttempts,
  type Settlement,
  type SignedAttempt,
  type Spend,
} from '@agent-wallet/spend';
import bs58 from 'bs58';
import { sql, type FragmentSqlToken } from 'slonik';
import { afterAll, expect } from 'vitest';
import { z } from 'zod';
import { createTestDatabase } from './test-database.ts';

export type RowSession = {
  readonly walletId: string;
  readonly sessionId: string;
  readonly vaultPda: string;
  readonly sessionPda: string;
  readonly sessionPubkey: string;
};

/** The outcome of a settlement. */
export type Told =
  | { readonly kind: 'landed_ok'; readonly slot?: bigint }
  | { readonly kind: 'landed_error'; readonly slot?: bigint; readonly isFinal?: boolean }
  | { readonly kind: 'expired'; readonly isFinal?: boolean }
  | { readonly kind: 'never_lands'; readonly isFinal?: boolean };

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

export const newAddress = (): string => bs58.encode(randomBytes(32));
export const newSignature = (): string => bs58.encode(randomBytes(64));

/** A transfer that no rule refuses. */
export function requestedTransfer(session: RowSession, request: Partial<NewSpend> = {}): NewSpend {
  const amount = request.amount ?? 100n;
  return {
    spendId: randomUUID(),
    walletId: session.walletId,
    sessionId: session.sessionId,
    kind: 'transfer',
    amount,
    reserved: amount,
    recipient: newAddress(),
    url: null,
    idempotencyKey: null,
    requestDigest: null,
    balance: null,
    notAfterMs: 60_000,
    ...request,
  };
}

/** The fields of a standard x402 payment. */
export const FACILITATED: Partial<NewSpend> = {
  kind: 'pay_service',
  url: 'https://service.example/paid',
  facilitator: { feePayer: newAddress(), memo: null },
};

/** The next attempt of a spend, with made-up bytes. A facilitator's has no known signature. */
export function signedFor({ broadcaster }: Spend, spendSeq: bigint): SignedAttempt {
  const signed = signedAttempt(spendSeq);
  return broadcaster === 'worker' ? signed : { ...signed, signature: null, feeLamports: 0n };
}

/** A signed attempt with made-up bytes. */
export function signedAttempt(spendSeq: bigint): SignedAttempt {
  return {
    signature: newSignature(),
    wire: randomBytes(200),
    blockhash: newAddress(),
    lastValidBlockHeight: 1_150n,
    blockhashSlot: 1_000n,
    policyVersion: 0,
    sessionIndex: 0n,
    feePayer: newAddress(),
    spendSeq,
    feeLamports: 10_000n,
  };
}

/** The settlement for an outcome on the chain. */
export function settlementOf(
  spend: Pick<Spend, 'walletId' | 'sessionId' | 'spendId' | 'txSignature'>,
  told: Told,
  attemptNo: number,
): Settlement {
  const { walletId, sessionId, spendId } = spend;
  const isFinal = 'isFinal' in told ? told.isFinal : undefined;
  const row = { walletId, sessionId, spendId, attemptNo, isFinal };
  const signature = spend.txSignature ?? newSignature();
  switch (told.kind) {
    case 'landed_ok':
      return { ...row, kind: 'landed_ok', signature, slot: told.slot ?? 2_000n };
    case 'landed_error': {
      const failure = { code: 'DailyCapExceeded', detail: 'the program said no' };
      return { ...row, kind: 'landed_error', signature, slot: told.slot ?? 2_000n, ...failure };
    }
    case 'expired':
      return { ...row, kind: 'expired' };
    case 'never_lands':
      return { ...row, kind: 'never_lands', detail: 'another spend used its number' };
  }
}

/** Takes a lane, which must be free, whether a spend is queued or not. */
export async function holdLane(db: Database, sessionId: string, leaseMs = 10_000): Promise<bigint> {
  const fence = await db.maybeOneFirst(sql.type(z.object({ fence: z.bigint() }))`
    update lane
    set fence = fence + 1, holder = 'test',
      lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where session_id = ${sessionId}::uuid and lease_until < now()
    returning fence
  `);
  if (fence === null) throw new Error('the lane is not free');
  return fence;
}

/** Claims one spend and keeps the lane. */
export async function claimSpend(
  db: Database,
  claim: { readonly spend: Spend; readonly fence: bigint; readonly signed: SignedAttempt },
): Promise<ClaimOutcome> {
  const { spend, fence, signed } = claim;
  const { sessionId, walletId } = spend;
  const lane = { sessionId, fence, claims: [{ spend, signed }], thenRelease: false };
  const [claimed] = await claimSpends(db, walletId, [lane]);
  if (claimed === undefined) throw new Error('no outcome');
  return claimed.outcome;
}

/** For settlements of which none may fail. */
export function failOnFailure(_settlement: Settlement, error: unknown): never {
  throw error;
}

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

/** Records that the landing of the row is final. */
export async function finalize(rows: SpendRows, spendId: string): Promise<void> {
  const { status, txSignature } = await rows.read(spendId);
  const landed = { spendId, txSignature: txSignature ?? '', landedError: status === 'reverted' };
  await finalizeSpends(rows.db, [landed]);
}

const auditFact = z.object({
  correction: z.number(),
  decision: z.string(),
  reason: z.string().nullable(),
});

type Step = (rows: SpendRows, spend: Spend) => Promise<unknown>;

/** The step that takes one transition after the other. */
const path =
  (...steps: readonly Step[]): Step =>
  async (rows, spend) => {
    for (const step of steps) await step(rows, spend);
  };
const claimed: Step = (rows, spend) => rows.claim(spend);
const settled =
  (told: Told): Step =>
  (rows, spend) =>
    rows.settle(spend, told);
const landed = settled({ kind: 'landed_ok' });
const failed = settled({ kind: 'landed_error' });
const expired = settled({ kind: 'expired' });
const forkedOut = settled({ kind: 'expired', isFinal: true });
const finalized: Step = (rows, { spendId }) => finalize(rows, spendId);
const sentAgain: Step = (rows, { spendId }) => raiseBroadcasts(rows.db, { spendId, attempt: 1 });
const refused: Step = (rows, spend) => {
  const refusal = { attempt: 1, code: 'MaxPerTxExceeded', detail: 'the program said no' };
  return refuseUnbroadcast(rows.db, { spend, ...refusal });
};
const released: Step = async (rows, spend) => {
  await rows.claim(spend);
  if ((await releaseAttempt(rows.db, spend.spendId)) === null) throw new Error('not released');
};

/** How a spend reaches each of its resting states. */
export const SPEND_STATES = {
  queued: path(),
  'queued again': path(claimed, expired),
  'in flight': path(claimed),
  'in flight, sent again': path(claimed, sentAgain),
  'in flight, second attempt': path(claimed, expired, claimed),
  confirmed: path(claimed, landed),
  finalized: path(claimed, landed, finalized),
  reverted: path(claimed, failed),
  'reverted for good': path(claimed, failed, finalized),
  'refused unsent': (rows, spend) => cancelQueued(rows.db, spend),
  'refused in preflight': path(claimed, refused),
  'forked out': path(claimed, landed, forkedOut),
  'never landed': path(claimed, settled({ kind: 'never_lands' })),
} as const satisfies Record<string, Step>;

export type SpendState = keyof typeof SPEND_STATES;

/** The same for a payment that a facilitator sends, accepted with {@link FACILITATED}. */
export const FACILITATED_STATES = {
  'facilitated, queued': path(),
  'facilitated, stored': path(claimed),
  'facilitated, released': released,
  'facilitated, confirmed': path(released, landed),
  'facilitated, finalized': path(released, landed, finalized),
  'facilitated, reverted': path(released, failed),
  'facilitated, not settled': path(released, expired),
  'facilitated, forked out': path(released, landed, forkedOut),
} as const satisfies Record<string, Step>;

/** How a spend reaches each state. */
export const LEAD_TO = { ...SPEND_STATES, ...FACILITATED_STATES };

export type FacilitatedState = keyof typeof FACILITATED_STATES;
