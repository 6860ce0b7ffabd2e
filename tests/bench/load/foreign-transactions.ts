/** Transactions of the program that a stranger sends: a vault and sessions of no wallet here. */
import {
  createRpc,
  createWalletProgram,
  transferUsdc,
  unitLimitOf,
  type WalletProgram,
} from '@agent-wallet/chain';
import type { System } from '@agent-wallet/local-system/system/start-system.ts';
import { ComputeBudgetProgram, Keypair, Transaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { waitUntil } from '../../support/wait-until.ts';
import { createChainWallet } from '../reference/create-chain-wallet.ts';
import { turnOf } from './agents.ts';

const SESSIONS = 100;
const CLIENTS = 32;
/** A blockhash is valid for 150 slots. */
const PER_BLOCKHASH = 500;
const SOL = 1_000_000_000;

/**
 * `transfers` succeed, and each emits an event that the follower must read. `failures` repeat a
 * sequence number: the program is named and refuses.
 */
export type ForeignKind = 'transfers' | 'failures';

export type Stranger = {
  /** Sends so many and waits until all are confirmed. Returns the slot of the last. */
  readonly send: (kind: ForeignKind, count: number) => Promise<bigint>;
};

export async function createStranger({ urls, faucet, ...ids }: System): Promise<Stranger> {
  const program = createWalletProgram({ programId: ids.programId, usdcMint: ids.usdcMint });
  const rpc = createRpc({ url: urls.rpc, timeoutMs: 30_000 });
  const feePayer = Keypair.generate();
  await faucet.sol(feePayer.publicKey, 100 * SOL);
  const { sessions, agents } = await createChainWallet(urls.rpc, {
    faucet,
    program,
    sessionsEach: SESSIONS,
  });
  const lanes = sessions.map(({ secretKey, ...session }) => ({
    ...session,
    key: Keypair.fromSecretKey(bs58.decode(secretKey)),
    nextSeq: 1n,
  }));
  const { recipient } = turnOf(agents, 0);

  function sign(n: number, kind: ForeignKind, blockhash: string): Transaction {
    const lane = turnOf(lanes, n);
    const spendSeq = kind === 'transfers' ? lane.nextSeq : 1n;
    if (kind === 'transfers') lane.nextSeq += 1n;
    return signTransfer(program, {
      ...lane,
      feePayer,
      recipient,
      // Different bytes, so that each has a signature of its own.
      amount: BigInt(1 + (n % 1_000)),
      spendSeq,
      blockhash,
    });
  }

  return {
    send: async (kind, count) => {
      let last = '';
      for (let first = 0; first < count; first += PER_BLOCKHASH) {
        const { blockhash } = await rpc.latestBlockhash();
        const numbers = Array.from(
          { length: Math.min(PER_BLOCKHASH, count - first) },
          (_, n) => first + n,
        ).values();
        const sendOn = async (): Promise<void> => {
          for (const n of numbers) {
            const transaction = sign(n, kind, blockhash);
            const reply = await rpc.sendRaw(transaction.serialize(), { skipPreflight: true });
            if (!reply.ok) throw new Error(`the chain refused a transaction: ${reply.message}`);
            last = String(reply.result);
          }
        };
        await Promise.all(Array.from({ length: CLIENTS }, sendOn));
      }
      return waitUntil('the last foreign transaction', async () => {
        const { statuses } = await rpc.signatureStatuses([last], { searchHistory: false });
        const [status] = statuses;
        return status && status.confirmationStatus !== 'processed' ? status.slot : undefined;
      });
    },
  };
}

function signTransfer(
  program: WalletProgram,
  {
    key,
    feePayer,
    index,
    blockhash,
    ...of
  }: {
    readonly key: Keypair;
    readonly feePayer: Keypair;
    readonly index: string;
    readonly blockhash: string;
    readonly vault: string;
    readonly recipient: string;
    readonly amount: bigint;
    readonly spendSeq: bigint;
  },
): Transaction {
  const args = {
    ...of,
    sessionPubkey: key.publicKey.toBase58(),
    sessionIndex: BigInt(index),
    spendId: crypto.randomUUID(),
  };
  const transaction = new Transaction({ feePayer: feePayer.publicKey });
  transaction.recentBlockhash = blockhash;
  transaction.add(
    ComputeBudgetProgram.setComputeUnitLimit({
      units: unitLimitOf(program, { kind: 'transfer', ...args }),
    }),
    transferUsdc(program, args),
  );
  transaction.sign(feePayer, key);
  return transaction;
}
