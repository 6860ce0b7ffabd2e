import { randomUUID } from 'node:crypto';
import {
  createOwnerTransactions,
  createRpc,
  createWalletProgram,
  tokenAmountOf,
  type Rpc,
  type WalletProgram,
} from '@agent-wallet/chain';
import { createDatabase, type Database } from '@agent-wallet/db';
import {
  acceptSpend,
  type NewSpend,
  findSpends,
  isPending,
  type Spend,
  spendIdFor,
} from '@agent-wallet/spend';
import { Keypair, PublicKey, Transaction } from '@solana/web3.js';
import { sql } from 'slonik';
import { z } from 'zod';
import type { System } from '@agent-wallet/local-system/system/start-system.ts';
import { createInTurn } from '../in-turn.ts';
import { waitUntil } from '../wait-until.ts';

const SOL = 1_000_000_000;
const BLOCKHASHES_TRIED = 3;

export type TestWallet = {
  readonly walletId: string;
  readonly owner: Keypair;
  readonly vault: string;
  readonly vaultUsdcAta: string;
};

export type TestSession = { readonly sessionId: string; readonly sessionPda: string };

export type SessionRequest = {
  readonly recipients: readonly string[];
  readonly maxPerTx?: bigint;
  readonly dailyCap?: bigint;
  readonly expiry?: bigint;
  readonly allowedInstructions?: number;
};

export type TestRequest = {
  readonly recipient: string;
  readonly amount: bigint;
  readonly key?: string;
} & Partial<Pick<NewSpend, 'kind' | 'url' | 'facilitator'>>;

/**
 * Wallets, sessions and spends created without the api: the rows that it would write, and owner
 * transactions signed and sent here. For tests of the steps after acceptance.
 */
export type LaneFixture = AsyncDisposable & {
  readonly db: Database;
  readonly rpc: Rpc;
  readonly program: WalletProgram;
  createWallet(usdc: bigint): Promise<TestWallet>;
  createSession(wallet: TestWallet, request: SessionRequest): Promise<TestSession>;
  /** An owner with a USDC token account, as base58. */
  createRecipient(): Promise<string>;
  ownerSends(owner: Keypair, txBase64: string): Promise<void>;
  readonly ownerTransactions: ReturnType<typeof createOwnerTransactions>;
  /** Accepts a spend as the api would after its checks; a transfer by default. */
  request(wallet: TestWallet, session: TestSession, request: TestRequest): Promise<string>;
  /** Waits until all of them are settled. */
  settled(spendIds: readonly string[], timeoutMs?: number): Promise<readonly Spend[]>;
  balance(tokenAccount: string): Promise<bigint>;
  /** The index that the next session of a vault gets. */
  nextSessionIndex(vault: string): Promise<bigint>;
};

export async function createLaneFixture(system: System): Promise<LaneFixture> {
  const db = await createDatabase({ url: system.databaseUrl, poolSize: 4 });
  const rpc = createRpc({ url: system.urls.rpc, timeoutMs: 5_000 });
  const program = createWalletProgram({
    programId: system.programId,
    usdcMint: system.usdcMint,
  });
  const ownerTransactions = createOwnerTransactions(program, () => rpc.latestBlockhash(), Date.now);
  const { addresses } = program;

  /** Signs again with the newest blockhash when the transaction has expired. */
  async function sendSigned(owner: Keypair, transaction: Transaction): ReturnType<Rpc['sendRaw']> {
    for (let attempt = 1; ; attempt += 1) {
      transaction.sign(owner);
      const reply = await rpc.sendRaw(transaction.serialize(), { skipPreflight: false });
      const isTooOld = !reply.ok && reply.message.includes('Blockhash not found');
      if (!isTooOld || attempt === BLOCKHASHES_TRIED) return reply;
      transaction.recentBlockhash = (await rpc.latestBlockhash()).blockhash;
    }
  }

  async function ownerSends(owner: Keypair, txBase64: string): Promise<void> {
    const reply = await sendSigned(owner, Transaction.from(Buffer.from(txBase64, 'base64')));
    if (!reply.ok) throw new Error(`${reply.message} ${JSON.stringify(reply.data)}`);
    const signature = z.string().parse(reply.result);
    await waitUntil('the owner transaction', async () => {
      const { statuses } = await rpc.signatureStatuses([signature], { searchHistory: false });
      const status = statuses[0] ?? null;
      return status !== null && status.confirmationStatus !== 'processed';
    });
  }

  async function createWallet(usdc: bigint): Promise<TestWallet> {
    const owner = Keypair.generate();
    const ownerAddress = owner.publicKey.toBase58();
    const vault = addresses.vaultPda(ownerAddress);
    const vaultUsdcAta = addresses.usdcAta(vault);
    await system.faucet.sol(owner.publicKey, SOL);
    const { walletId } = await db.one(sql.type(z.object({ walletId: z.string() }))`
      insert into wallet (owner, vault_pda, vault_usdc_ata)
      values (${ownerAddress}, ${vault}, ${vaultUsdcAta})
      returning wallet_id as "walletId"
    `);
    await ownerSends(owner, await ownerTransactions.initVault(ownerAddress, 0, null));
    if (usdc > 0n) await system.faucet.usdc(new PublicKey(vaultUsdcAta), usdc);
    return { walletId, owner, vault, vaultUsdcAta };
  }

  async function nextSessionIndex(vault: string): Promise<bigint> {
    const { accounts } = await rpc.accounts([vault], { commitment: 'confirmed' });
    const state = accounts[0] ? program.decodeVault(accounts[0]) : null;
    if (state === null) throw new Error(`there is no vault ${vault}`);
    return state.nextSessionIndex;
  }

  // The program takes the sessions of a vault one after the other, by their index.
  const inTurn = createInTurn();

  async function createSession(wallet: TestWallet, request: SessionRequest): Promise<TestSession> {
    const sessionId = randomUUID();
    const sessionPubkey = await waitUntil('a free session key', () =>
      db.maybeOneFirst(sql.type(z.object({ pubkey: z.string() }))`
        update session_key set session_id = ${sessionId}::uuid
        where pubkey = (select pubkey from session_key where session_id is null
          order by created_at limit 1 for update skip locked)
        returning pubkey
      `),
    );
    const sessionPda = addresses.sessionPda(wallet.vault, sessionPubkey);
    const limits = {
      sessionPubkey,
      maxPerTx: request.maxPerTx ?? 1_000_000n,
      dailyCap: request.dailyCap ?? 1_000_000_000n,
      expiry: request.expiry ?? BigInt(Math.floor(Date.now() / 1_000)) + 3_600n,
      allowedInstructions: request.allowedInstructions ?? 1,
      recipients: request.recipients,
    };
    await db.query(sql.unsafe`
      insert into session (session_id, wallet_id, session_pubkey, session_pda, max_per_tx,
        daily_cap, expiry, allowed_recipients, allowed_instructions)
      values (${sessionId}::uuid, ${wallet.walletId}::uuid, ${sessionPubkey}, ${sessionPda},
        ${limits.maxPerTx.toString()}::numeric, ${limits.dailyCap.toString()}::numeric,
        ${limits.expiry}, ${sql.array([...limits.recipients], 'text')},
        ${limits.allowedInstructions})
    `);
    await db.query(sql.unsafe`
      insert into lane (session_id, wallet_id)
      values (${sessionId}::uuid, ${wallet.walletId}::uuid)
    `);
    const owner = wallet.owner.publicKey.toBase58();
    await inTurn(wallet.vault, async () => {
      const index = await nextSessionIndex(wallet.vault);
      await ownerSends(wallet.owner, await ownerTransactions.addSession(owner, limits, index));
    });
    return { sessionId, sessionPda };
  }

  async function createRecipient(): Promise<string> {
    const { publicKey } = Keypair.generate();
    await system.faucet.usdc(publicKey, 0n);
    return publicKey.toBase58();
  }

  return {
    db,
    rpc,
    program,
    ownerTransactions,
    ownerSends,
    nextSessionIndex,
    createWallet,
    createSession,
    createRecipient,
    request: async (wallet, session, { recipient, amount, key, ...request }) => {
      const { sessionId } = session;
      const idempotencyKey = key ?? null;
      const outcome = await acceptSpend(db, {
        spendId: spendIdFor(sessionId, idempotencyKey),
        walletId: wallet.walletId,
        sessionId,
        kind: 'transfer',
        amount,
        reserved: amount,
        recipient,
        url: null,
        idempotencyKey,
        requestDigest: idempotencyKey === null ? null : Buffer.from(`${recipient} ${amount}`),
        balance: null,
        notAfterMs: 60_000,
        ...request,
      });
      if (outcome.kind === 'accepted' || outcome.kind === 'existing') return outcome.spend.spendId;
      throw new Error(`not accepted: ${outcome.kind}`);
    },
    settled: (spendIds, timeoutMs = 60_000) =>
      waitUntil(
        `${spendIds.length} settled spends`,
        async () => {
          const spends = await findSpends(db, spendIds);
          return spends.length === spendIds.length && spends.every((one) => !isPending(one.status))
            ? spends
            : null;
        },
        { timeoutMs, intervalMs: 100 },
      ),
    balance: async (tokenAccount) => {
      const read = await rpc.accounts([tokenAccount], { commitment: 'confirmed' });
      return tokenAmountOf(read.accounts[0] ?? null);
    },
    [Symbol.asyncDispose]: async () => {
      await db.end();
    },
  };
}
