/**
 * The reference: what a user would write instead of this product. A route with one insert, build,
 * sign, `sendAndConfirmTransaction`, and one update. It pays with the same program, so it carries a
 * spend_seq, but it gives no guarantee: after a crash or a lost reply it does not know what landed.
 */
import { randomUUID } from 'node:crypto';
import { createRpc, createWalletProgram, transferUsdc, unitLimitOf } from '@agent-wallet/chain';
import { type Served, serveParent } from '@agent-wallet/local-system/process/parent-channel.ts';
import {
  ComputeBudgetProgram,
  Connection,
  Keypair,
  sendAndConfirmTransaction,
  Transaction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import Fastify from 'fastify';
import { Pool } from 'pg';
import { z } from 'zod';
import { plainHandlerOptions, type PlainHandlerOptions } from './plain-handler-options.ts';

const POOL_SIZE = 20;
const MOST_TRIES = 3;

serveParent(plainHandlerOptions, serve);

type Session = {
  readonly key: Keypair;
  readonly feePayer: Keypair;
  readonly vault: string;
  readonly index: bigint;
  nextSeq: bigint;
  /** The end of the transfer before, in the careful variant. */
  tail: Promise<unknown>;
};

type TransferRequest = { readonly recipient: string; readonly amount: number };

async function serve(options: PlainHandlerOptions): Promise<Served<{ url: string }>> {
  const { rpcUrl, wsUrl } = options;
  const connection = new Connection(rpcUrl, { wsEndpoint: wsUrl, commitment: 'confirmed' });
  const pool = new Pool({ connectionString: options.databaseUrl, max: POOL_SIZE });
  await pool.query(`create table if not exists plain_spend (
    id uuid primary key, session text not null, recipient text not null, amount bigint not null,
    status text not null, signature text, created_at timestamptz not null default now())`);
  const program = createWalletProgram(options);
  const sessions = await readSessions(options);

  async function pay(session: Session, { recipient, amount }: TransferRequest): Promise<string> {
    const id = randomUUID();
    const { key, feePayer, vault, index } = session;
    const sessionPubkey = key.publicKey.toBase58();
    await pool.query({
      name: 'insert',
      text: `insert into plain_spend (id, session, recipient, amount, status)
        values ($1, $2, $3, $4, 'sent')`,
      values: [id, sessionPubkey, recipient, amount],
    });
    const send = async (): Promise<string> => {
      const args = {
        vault,
        sessionPubkey,
        recipient,
        amount: BigInt(amount),
        spendSeq: session.nextSeq,
        sessionIndex: index,
        spendId: id,
      };
      session.nextSeq += 1n;
      const units = unitLimitOf(program, { kind: 'transfer', ...args });
      const transaction = new Transaction({ feePayer: feePayer.publicKey }).add(
        ComputeBudgetProgram.setComputeUnitLimit({ units }),
        ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 }),
        transferUsdc(program, args),
      );
      return sendAndConfirmTransaction(connection, transaction, [feePayer, key], {
        commitment: 'confirmed',
      });
    };
    const signature = await (options.isCareful ? oneByOne(session, send) : send());
    await pool.query({
      name: 'update',
      text: `update plain_spend set status = 'confirmed', signature = $2 where id = $1`,
      values: [id, signature],
    });
    return signature;
  }

  const app = Fastify({ logger: { level: 'error' } });
  const properties = { recipient: { type: 'string' }, amount: { type: 'integer' } };
  const body = { type: 'object', required: ['recipient', 'amount'], properties };
  app.post<{ Body: TransferRequest }>(
    '/v1/spend/transfer',
    { schema: { body } },
    async (request, reply) => {
      const session = sessions.get(request.headers.authorization ?? '');
      if (session === undefined) return reply.code(401).send({ code: 'UNAUTHORIZED' });
      return { status: 'confirmed', tx_signature: await pay(session, request.body) };
    },
  );
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    ready: { url },
    stop: async () => {
      await app.close();
      await pool.end();
    },
  };
}

/** By the header that names them, with the sequence numbers that the chain expects next. */
async function readSessions(options: PlainHandlerOptions): Promise<Map<string, Session>> {
  const program = createWalletProgram(options);
  const rpc = createRpc({ url: options.chainRpcUrl, timeoutMs: 5_000 });
  const feePayers = options.feePayerKeys.map((one) => Keypair.fromSecretKey(bs58.decode(one)));
  const found = new Map<string, Session>();
  for (const [place, one] of options.sessions.entries()) {
    const key = Keypair.fromSecretKey(bs58.decode(one.secretKey));
    const pda = program.addresses.sessionPda(one.vault, key.publicKey.toBase58());
    const { accounts } = await rpc.accounts([pda], { commitment: 'confirmed' });
    const state = accounts[0] ? program.decodeSession(accounts[0]) : null;
    const feePayer = feePayers[place % feePayers.length];
    if (state === null || feePayer === undefined) throw new Error(`there is no session ${pda}`);
    found.set(`Bearer ${one.apiKey}`, {
      key,
      feePayer,
      vault: one.vault,
      index: z.coerce.bigint().parse(one.index),
      nextSeq: state.replay.highestSeq + 1n,
      tail: Promise.resolve(),
    });
  }
  return found;
}

/** One after the other in a session; what failed is sent again with the next number. */
async function oneByOne(session: Session, send: () => Promise<string>): Promise<string> {
  const before = session.tail;
  const turn = (async () => {
    await before.catch(() => undefined);
    for (let tries = 1; tries < MOST_TRIES; tries += 1) {
      try {
        return await send();
      } catch {
        // It may have landed. A retry that can pay twice is why this handler is only a reference.
      }
    }
    return send();
  })();
  session.tail = turn;
  return turn;
}
