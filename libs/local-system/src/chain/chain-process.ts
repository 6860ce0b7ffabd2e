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
import {
  type ChainKind,
  type ChainOptions,
  chainOptionsSchema,
  type ChainReady,
  noLocalChainSentence,
} from './embedded-chain.ts';
import type { EmbeddedNode } from './embedded-node.ts';
import { type Served, serveParent } from '../process/parent-channel.ts';
import { RESERVE_ACCOUNTS } from './reserve-instructions.ts';
import { initReserve } from './reserve-market.ts';
import { StartError } from '../system/start-error.ts';

const FAUCET_LAMPORTS = 1_000_000 * 1_000_000_000;
/** The rent exemption of a mint account of 82 bytes. */
const MINT_LAMPORTS = 1_461_600;
/** Anchor's InstructionFallbackNotFound: our programs' error for an unknown instruction. */
const UNKNOWN_INSTRUCTION = 101;
/** More than the rent of the reserve's largest account. */
const RESERVE_ACCOUNT_LAMPORTS = 100_000_000;

serveParent(chainOptionsSchema, serveChain);

/** Runs the embedded chain. This process does nothing else: it must answer everybody at once. */
async function serveChain({ kind, slotTimeMs }: ChainOptions): Promise<Served<ChainReady>> {
  const node = await startNode(kind, slotTimeMs);
  const faucet = Keypair.generate();
  node.fundSol(faucet.publicKey.toBase58(), FAUCET_LAMPORTS);
  node.setAccount(
    USDC_MINT,
    MINT_LAMPORTS,
    usdcMintData(faucet.publicKey),
    TOKEN_PROGRAM_ID.toBase58(),
  );
  const programId = localProgramId();
  const programLoaded = hasProgramFile();
  const connection = new Connection(node.rpcUrl, 'confirmed');
  if (programLoaded) node.deploy({ programId, soPath: PROGRAM_FILE });
  else console.log(`${PROGRAM_FILE} does not exist: the chain runs without the program.`);
  node.deploy({ programId: SANDBOX_RESERVE.programId, soPath: RESERVE_PROGRAM_FILE });
  for (const address of RESERVE_ACCOUNTS) node.fundSol(address, RESERVE_ACCOUNT_LAMPORTS);
  if (programLoaded) await checkProgramRuns(connection, faucet, new PublicKey(programId));
  await checkProgramRuns(connection, faucet, new PublicKey(SANDBOX_RESERVE.programId));
  await initReserve({ connection, usdcMint: new PublicKey(USDC_MINT), admin: faucet });
  return {
    ready: {
      rpcUrl: node.rpcUrl,
      wsUrl: node.wsUrl,
      faucetSecretKey: bs58.encode(faucet.secretKey),
      programLoaded,
    },
    stop: () => node.stop(),
  };
}

/** Loads only the chain that is wanted: each is a native library. */
async function startNode(kind: ChainKind, slotTimeMs: number): Promise<EmbeddedNode> {
  if (kind === 'surfnet') {
    const { startSurfnetNode } = await import('./surfnet-node.ts');
    return startSurfnetNode(slotTimeMs);
  }
  const { startLocalNode } = await import('./local-node.ts').catch((cause: unknown): never => {
    throw new StartError(noLocalChainSentence(`${process.platform}-${process.arch}`), { cause });
  });
  return startLocalNode(slotTimeMs);
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
