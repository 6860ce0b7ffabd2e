/**
 * The plain handler with sessions, ready for a load: a chain of its own, like ours and with the
 * same program, because our confirm-worker follows every event of its chain; a database of its own
 * in the same Postgres.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createWalletProgram } from '@agent-wallet/chain';
import { USDC_MINT, localProgramId } from '@agent-wallet/local-system/chain/chain-facts.ts';
import {
  type EmbeddedChain,
  startEmbeddedChain,
} from '@agent-wallet/local-system/chain/embedded-chain.ts';
import { createFaucet } from '@agent-wallet/local-system/faucet/faucet.ts';
import { Connection, Keypair, PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import { inTurns, type Target } from '../load/agents.ts';
import { createChainWallet } from './create-chain-wallet.ts';
import { createDatabase } from './create-database.ts';
import type { PlainHandlerOptions } from './plain-handler-options.ts';
import { BENCH_DIR, startHandler } from './start-handler.ts';

const SLOT_TIME_MS = 400;
/** As many as a system of ours has. */
const FEE_PAYERS = 4;
const SOL = 1_000_000_000;

export type PlainStage = AsyncDisposable &
  Target & {
    readonly chain: EmbeddedChain;
    readonly databaseUrl: string;
    /** Kills the handler with SIGKILL and starts it again; its URL changes. */
    readonly killAndRestart: () => Promise<void>;
  };

export type PlainStageOptions = {
  /** Of any database in the Postgres to use. */
  readonly databaseUrl: string;
  readonly wallets: number;
  readonly sessionsEach: number;
  /** Of its database; several stages can share a Postgres. */
  readonly name?: string;
  readonly isCareful?: boolean;
  /** What the handler uses instead of the chain's own URL. */
  readonly rpcUrlFor?: (chainRpcUrl: string) => Promise<string>;
  readonly slotTimeMs?: number;
};

export async function openPlainStage(options: PlainStageOptions): Promise<PlainStage> {
  await using stack = new AsyncDisposableStack();
  await mkdir(BENCH_DIR, { recursive: true });
  const slotTimeMs = options.slotTimeMs ?? SLOT_TIME_MS;
  const logFile = join(BENCH_DIR, `${options.name ?? 'plain'}-chain.log`);
  const chain = await startEmbeddedChain({ slotTimeMs, logFile });
  stack.defer(() => chain.stop());
  const ids = { programId: localProgramId(), usdcMint: USDC_MINT };
  const faucet = createFaucet({
    connection: new Connection(chain.rpcUrl, 'confirmed'),
    usdcMint: new PublicKey(USDC_MINT),
    mintAuthority: Keypair.fromSecretKey(bs58.decode(chain.faucetSecretKey)),
  });
  const feePayers = Array.from({ length: FEE_PAYERS }, () => Keypair.generate());
  await Promise.all(feePayers.map(({ publicKey }) => faucet.sol(publicKey, 100 * SOL)));
  const wallets = await Promise.all(
    Array.from({ length: options.wallets }, () =>
      createChainWallet(chain.rpcUrl, { faucet, program: createWalletProgram(ids), ...options }),
    ),
  );
  const handler: PlainHandlerOptions = {
    ...ids,
    rpcUrl: (await options.rpcUrlFor?.(chain.rpcUrl)) ?? chain.rpcUrl,
    chainRpcUrl: chain.rpcUrl,
    wsUrl: chain.wsUrl,
    databaseUrl: await createDatabase(options.databaseUrl, options.name ?? 'plain_handler'),
    feePayerKeys: feePayers.map(({ secretKey }) => bs58.encode(secretKey)),
    sessions: wallets.flatMap(({ sessions }) => sessions),
    isCareful: options.isCareful ?? false,
  };
  let started = await startHandler('plain-handler', handler);
  stack.defer(() => started[Symbol.asyncDispose]());
  const all = stack.move();
  return {
    get urls() {
      return [started.url];
    },
    agents: inTurns(wallets),
    chain,
    databaseUrl: handler.databaseUrl,
    killAndRestart: async () => {
      started.process.signal('SIGKILL');
      await started.process.exited;
      started = await startHandler('plain-handler', handler);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
