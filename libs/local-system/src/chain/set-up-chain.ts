import { SANDBOX_RESERVE } from '@agent-wallet/chain';
import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import {
  type Connection,
  Keypair,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import {
  hasProgramFile,
  localProgramId,
  PROGRAM_FILE,
  RESERVE_PROGRAM_FILE,
  USDC_MINT,
  usdcMintData,
} from './chain-facts.ts';
import type { EmbeddedNode } from './embedded-node.ts';
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

export interface ChainSetUp {
  /** Holds SOL, is the mint authority of USDC, and administers the reserve. */
  readonly faucet: Keypair;
  /** False if the program has not been built. */
  readonly programLoaded: boolean;
}

/**
 * Puts our programs, a USDC mint and the sandbox reserve on a new chain. Throws StartError when a
 * program does not load.
 */
export async function setUpChain(node: EmbeddedNode): Promise<ChainSetUp> {
  const { connection } = node;
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
  if (programLoaded) node.deploy({ programId, soPath: PROGRAM_FILE });
  else console.log(`${PROGRAM_FILE} does not exist: the chain runs without the program.`);
  node.deploy({ programId: SANDBOX_RESERVE.programId, soPath: RESERVE_PROGRAM_FILE });
  for (const address of RESERVE_ACCOUNTS) node.fundSol(address, RESERVE_ACCOUNT_LAMPORTS);
  if (programLoaded) await checkProgramRuns(connection, faucet, new PublicKey(programId));
  await checkProgramRuns(connection, faucet, new PublicKey(SANDBOX_RESERVE.programId));
  await initReserve(node.sendAndConfirm(faucet), new PublicKey(USDC_MINT), faucet);
  return { faucet, programLoaded };
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
