import { setTimeout as delay } from 'node:timers/promises';
import { SANDBOX_RESERVE } from '@agent-wallet/chain';
import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import {
  Connection,
  Keypair,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import {
  hasProgramFile,
  localProgramId,
  PROGRAM_FILE,
  RESERVE_PROGRAM_FILE,
  USDC_MINT,
  usdcMintData,
} from './chain-facts.ts';
import { type ChainOptions, chainOptionsSchema, type ChainReady } from './embedded-chain.ts';
import { type Served, serveParent } from '../process/parent-channel.ts';
import { RESERVE_ACCOUNTS } from './reserve-instructions.ts';
import { initReserve } from './reserve-market.ts';
import { StartError } from '../system/start-error.ts';
import { startSurfnet } from './surfnet.ts';

const DRAIN_INTERVAL_MS = 50;
const FAUCET_LAMPORTS = 1_000_000 * 1_000_000_000;
/** The rent exemption of a mint account of 82 bytes. */
const MINT_LAMPORTS = 1_461_600;
/** Anchor's InstructionFallbackNotFound: our programs' error for an unknown instruction. */
const UNKNOWN_INSTRUCTION = 101;
/** More than the rent of the reserve's largest account. */
const RESERVE_ACCOUNT_LAMPORTS = 100_000_000;
const WARM_UP_TIMEOUT_MS = 20_000;
const WARM_UP_SLOTS = 2;

serveParent(chainOptionsSchema, serveChain);

/** Runs the embedded chain. This process does nothing else: see the comment on draining. */
async function serveChain(options: ChainOptions): Promise<Served<ChainReady>> {
  const surfnet = startSurfnet(options.slotTimeMs);
  // Without draining, its event buffer fills after a few hundred sends and blocks this process.
  const drain = setInterval(() => surfnet.drainEvents(), DRAIN_INTERVAL_MS);
  const faucet = Keypair.generate();
  surfnet.fundSol(faucet.publicKey.toBase58(), FAUCET_LAMPORTS);
  surfnet.setAccount(
    USDC_MINT,
    MINT_LAMPORTS,
    usdcMintData(faucet.publicKey),
    TOKEN_PROGRAM_ID.toBase58(),
  );
  const programId = localProgramId();
  const programLoaded = hasProgramFile();
  const connection = new Connection(surfnet.rpcUrl, 'confirmed');
  if (programLoaded) surfnet.deploy({ programId, soPath: PROGRAM_FILE });
  else console.log(`${PROGRAM_FILE} does not exist: the chain runs without the program.`);
  surfnet.deploy({ programId: SANDBOX_RESERVE.programId, soPath: RESERVE_PROGRAM_FILE });
  for (const address of RESERVE_ACCOUNTS) surfnet.fundSol(address, RESERVE_ACCOUNT_LAMPORTS);
  await warmUp(connection);
  if (programLoaded) await checkProgramRuns(connection, faucet, new PublicKey(programId));
  await checkProgramRuns(connection, faucet, new PublicKey(SANDBOX_RESERVE.programId));
  await initReserve({ connection, usdcMint: new PublicKey(USDC_MINT), admin: faucet });
  return {
    ready: {
      rpcUrl: surfnet.rpcUrl,
      wsUrl: surfnet.wsUrl,
      faucetSecretKey: bs58.encode(faucet.secretKey),
      programLoaded,
    },
    stop: async () => {
      clearInterval(drain);
      surfnet.stop();
    },
  };
}

/** Shortly after the start the height jumps back once; waits until it advances steadily. */
async function warmUp(connection: Connection): Promise<void> {
  const deadline = Date.now() + WARM_UP_TIMEOUT_MS;
  let before = Number.POSITIVE_INFINITY;
  let advances = 0;
  while (Date.now() < deadline) {
    const blockHeight = await connection.getBlockHeight('processed');
    if (blockHeight > before) advances += 1;
    if (blockHeight < before) advances = 0;
    if (advances >= WARM_UP_SLOTS) return;
    before = blockHeight;
    await delay(20);
  }
  throw new StartError(`The embedded chain made no blocks in ${WARM_UP_TIMEOUT_MS / 1000} s.`);
}

/**
 * A program that fails to load is silently replaced by an empty one that accepts every instruction.
 * So it is called once with data that it must reject.
 */
async function checkProgramRuns(
  connection: Connection,
  payer: Keypair,
  programId: PublicKey,
): Promise<void> {
  const { blockhash } = await connection.getLatestBlockhash();
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: blockhash,
    instructions: [
      new TransactionInstruction({ programId, keys: [], data: Buffer.alloc(8, 0xff) }),
    ],
  }).compileToV0Message();
  const { value } = await connection.simulateTransaction(new VersionedTransaction(message), {
    sigVerify: false,
  });
  const answer = JSON.stringify(value.err);
  if (answer === JSON.stringify({ InstructionError: [0, { Custom: UNKNOWN_INSTRUCTION }] })) return;
  throw new StartError(
    `The program ${programId.toBase58()} did not load: an unknown instruction returned ` +
      `${answer} instead of error ${UNKNOWN_INSTRUCTION}. ${(value.logs ?? []).join(' / ')}`,
  );
}
