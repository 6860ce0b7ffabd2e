/**
 * One session on a chain of its own, with three requests, of which the program refuses the second.
 * Time passes only in `pass`, and for all clocks at once.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createWalletProgram, SANDBOX_RESERVE } from '@agent-wallet/chain';
import { claimDeployment, createDatabase, type Database } from '@agent-wallet/db';
import type { Spend } from '@agent-wallet/spend';
import { Keypair } from '@solana/web3.js';
import { sql } from 'slonik';
import { vi } from 'vitest';
import { z } from 'zod';
import { localProgramId, USDC_MINT } from '@agent-wallet/local-system/chain/chain-facts.ts';
import type { SpendRequest } from '../../apps/api/src/spend/spend-request.ts';
import {
  type ChainDouble,
  createChainDouble,
  type SeenSend,
} from '../support/chain/chain-double.ts';
import { createTestDatabase } from '../support/database/test-database.ts';
import { findTooEarlySend } from './attempts.ts';
import type { Io } from './faulty-io.ts';
import { createPaidService, type PaidService } from './paid-service.ts';
import { openCrashKeystore, type Keys, type Processes, startProcesses } from './processes.ts';

export const FUNDS = 10_000_000n;
const MAX_PER_TX = 1_000_000n;
const DAILY_CAP = 5_000_000n;
/** The vault's deposit in the yield reserve. */
const DEPLOYED = 1_000n;
/** Each world has slots of its own, after those of all earlier worlds. */
const SLOTS_PER_RUN = 10_000n;

/** A database that many small worlds use one after the other. */
export type Ground = AsyncDisposable & { readonly db: Database; readonly keys: Keys };

export async function openGround(): Promise<Ground> {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const db = await createDatabase({ url: database.url, poolSize: 4 });
  stack.defer(() => db.end());
  const program = createWalletProgram({ programId: localProgramId(), usdcMint: USDC_MINT });
  const keys = {
    program,
    sealingKey: { version: 2, key: randomBytes(32) },
    feePayer: Keypair.generate(),
  };
  const { programId, usdcMint } = program;
  const deployment = { genesisHash: 'a chain double', programId, usdcMint };
  await claimDeployment(db, deployment, { allowMainnet: false });
  return { db, keys, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

export type AgentRequest = {
  readonly amount: bigint;
  readonly recipient: string;
  /** Whether it is paid in the end; 'either' depends on who is faster. */
  isPaid: 'yes' | 'no' | 'either';
  /** The spend that the agent was shown, or a fault; undefined before any answer. */
  answer: Spend | 'fault' | undefined;
};

/** What agents request. */
export type Pays = 'transfer' | 'x402' | 'yield_deposit' | 'yield_withdraw';

export type SmallWorld = Awaited<ReturnType<typeof createSmallWorld>>;

let runs = 0n;
let skippedMs = 0;
const realNow = performance.now.bind(performance);

/** Makes the monotonic clock follow `pass`, until `vi.restoreAllMocks`. */
export function holdClock(): void {
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + skippedMs);
}

export async function createSmallWorld(
  { db, keys }: Ground,
  { firstIsBlind, pays }: { readonly firstIsBlind: boolean; readonly pays: Pays },
) {
  runs += 1n;
  const owner = Keypair.generate().publicKey.toBase58();
  const recipients = [Keypair.generate(), Keypair.generate()].map(({ publicKey }) =>
    publicKey.toBase58(),
  );
  const sessionId = randomUUID();
  const sessionPubkey = await takeSessionKey(db, keys, sessionId);
  const chain = createChainDouble({
    program: keys.program,
    owner,
    sessionPubkey,
    recipients,
    maxPerTx: MAX_PER_TX,
    dailyCap: DAILY_CAP,
    funds: FUNDS,
    deployed: DEPLOYED,
    reserve: SANDBOX_RESERVE,
    startSlot: runs * SLOTS_PER_RUN,
  });
  const walletId = await insertRows(db, { owner, chain, sessionId, sessionPubkey, recipients });
  const nudged = new Set<string>();
  const violations: string[] = [];
  const ends: (() => Promise<void>)[] = [];
  const service = createPaidService(chain);
  const io: Io = {
    egress: service.egress,
    db,
    rpc: chain.rpc,
    firstEndpoint: firstIsBlind ? chain.blindRpc : undefined,
    nudge: async (wallet) => {
      nudged.add(wallet);
    },
  };
  chain.onSend = async (send: SeenSend) => {
    const violation = await findTooEarlySend(db, send);
    if (violation !== null) violations.push(violation);
  };
  const [first = '', second = ''] = recipients;
  const requestFor = (amount: bigint, recipient: string): AgentRequest => ({
    amount,
    recipient,
    isPaid: amount <= MAX_PER_TX ? 'yes' : 'no',
    answer: undefined,
  });
  const requests = [
    requestFor(11n, first),
    requestFor(MAX_PER_TX + 5n, first),
    requestFor(13n, second),
  ] as const;
  const { vault: vaultPda, vaultUsdcAta, sessionPda } = chain;
  const agent = { sessionId, walletId, sessionPda, vaultPda, vaultUsdcAta };
  const fields = fieldsOf(pays, service);
  const requestOf = ({ amount, recipient }: AgentRequest, waitMs: number): SpendRequest => ({
    agent,
    kind: 'transfer',
    amount,
    recipient,
    url: null,
    ...fields,
    idempotencyKey: `request-${amount}`,
    digest: createHash('sha256').update(`${pays} ${amount} ${recipient}`).digest(),
    waitMs,
    cancelUnclaimed: waitMs > 0,
    onAccepted: () => {},
    onNotAccepted: () => {},
  });

  return {
    db,
    chain,
    walletId,
    sessionId,
    requests,
    pays,
    service,
    keys,
    /** I/O that does not fail, and processes on it. */
    io,
    processes: startProcesses(io, keys),
    /** Wallets with a nudge that no run has followed. */
    nudged,
    /** Forbidden sends, in sentences. */
    violations,
    /** Registers a step that must run after the use case, even when that died. */
    endLater: (end: () => Promise<void>): void => {
      ends.push(end);
    },
    endAll: async (): Promise<void> => {
      for (const end of ends.splice(0)) await end();
    },
    /** Lets slots and seconds pass. */
    pass: async (time: { readonly slots: bigint; readonly seconds: number }): Promise<void> => {
      chain.advance(time.slots);
      skippedMs += time.seconds * 1_000;
      await age(db, { sessionId, vault: chain.vault, seconds: time.seconds });
    },
    /** Sends the requests without an answer; with `waitMs` 0 no spend is cancelled. */
    sendRequests: async ({ requestSpend }: Processes, waitMs: number): Promise<void> => {
      for (const one of requests) {
        if (one.answer !== undefined && one.answer !== 'fault') continue;
        one.answer = 'fault';
        const result = await requestSpend(requestOf(one, waitMs));
        if (result.kind !== 'known') throw new Error(`unexpected result: ${result.kind}`);
        one.answer = result.spend;
      }
    },
    /** Runs the lanes that were nudged. */
    runNudged: async ({ runWallet }: Processes): Promise<void> => {
      const wallets = [...nudged];
      nudged.clear();
      for (const wallet of wallets) await runWallet(wallet);
    },
  };
}

/** The fields in which a request differs from a transfer. */
function fieldsOf(pays: Pays, { feePayer }: PaidService): Partial<SpendRequest> {
  if (pays === 'transfer') return {};
  if (pays !== 'x402') return { kind: pays, recipient: null };
  const url = 'https://service.example/paid';
  const request = { method: 'GET', url, headers: {}, body: null, slug: 'service' };
  return {
    kind: 'pay_service',
    url,
    facilitator: { feePayer, memo: null },
    delivery: { ...request, proof: 'x402', requirement: '{}', resource: null },
  };
}

async function takeSessionKey(db: Database, keys: Keys, sessionId: string): Promise<string> {
  await openCrashKeystore(db, keys.sealingKey).refill(1);
  return db.oneFirst(sql.type(z.object({ pubkey: z.string() }))`
    update session_key set session_id = ${sessionId}::uuid where session_id is null
    returning pubkey
  `);
}

async function insertRows(
  db: Database,
  rows: {
    readonly owner: string;
    readonly chain: ChainDouble;
    readonly sessionId: string;
    readonly sessionPubkey: string;
    readonly recipients: readonly string[];
  },
): Promise<string> {
  const { owner, chain, sessionId, sessionPubkey, recipients } = rows;
  const walletId = randomUUID();
  // Saves the guard from reading the sessions of earlier worlds.
  await db.query(sql.unsafe`update session set status = 'revoked' where status <> 'revoked'`);
  await db.query(sql.unsafe`
    with the_wallet as (
      insert into wallet (wallet_id, owner, vault_pda, vault_usdc_ata, status, active_slot)
      values (${walletId}::uuid, ${owner}, ${chain.vault}, ${chain.vaultUsdcAta}, 'active', 1)
    ), the_session as (
      insert into session (session_id, wallet_id, session_pubkey, session_pda, session_index,
        max_per_tx, daily_cap, expiry, allowed_recipients, allowed_instructions, status, live_slot)
      values (${sessionId}::uuid, ${walletId}::uuid, ${sessionPubkey}, ${chain.sessionPda}, 0,
        ${MAX_PER_TX.toString()}::numeric, ${DAILY_CAP.toString()}::numeric, 4000000000,
        ${sql.array([...recipients], 'text')}, 7, 'live', 1)
    )
    insert into lane (session_id, wallet_id) values (${sessionId}::uuid, ${walletId}::uuid)
  `);
  return walletId;
}

/** Moves every time in the session's rows into the past. */
async function age(
  db: Database,
  of: { readonly sessionId: string; readonly vault: string; readonly seconds: number },
): Promise<void> {
  const passed = sql.fragment`${of.seconds} * interval '1 second'`;
  await db.query(sql.unsafe`
    with aged_lane as (
      update lane set lease_until = lease_until - ${passed}
      where session_id = ${of.sessionId}::uuid
    ), aged_attempt as (
      update attempt set stored_at = stored_at - ${passed}
      where session_id = ${of.sessionId}::uuid
    ), aged_watch as (
      update attempt_watch
      set look_at = look_at - ${passed}, watch_until = watch_until - ${passed},
        last_broadcast_at = last_broadcast_at - ${passed}
      where spend_id in (select spend_id from spend where session_id = ${of.sessionId}::uuid)
    ), aged_delivery as (
      update delivery
      set created_at = created_at - ${passed}, first_try_at = first_try_at - ${passed},
        try_at = try_at - ${passed}, lease_until = lease_until - ${passed}
      where session_id = ${of.sessionId}::uuid
    ), aged_event as (
      update program_event set reconcile_at = reconcile_at - ${passed} where vault = ${of.vault}
    ), aged_transaction as (
      update postponed_transaction set look_at = look_at - ${passed}
    )
    update spend
    set created_at = created_at - ${passed}, not_after = not_after - ${passed},
      claimed_at = claimed_at - ${passed}, settled_at = settled_at - ${passed},
      final_look_at = final_look_at - ${passed}
    where session_id = ${of.sessionId}::uuid
  `);
}
