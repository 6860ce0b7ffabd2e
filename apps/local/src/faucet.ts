import { setTimeout as delay } from 'node:timers/promises';
import {
  ACCOUNT_SIZE,
  createAssociatedTokenAccountIdempotentInstruction,
  createMintToInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import {
  ComputeBudgetProgram,
  type Connection,
  type Keypair,
  type PublicKey,
  Transaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import { StartError } from './start-error.ts';

const CONFIRM_TIMEOUT_MS = 30_000;
const CONFIRM_INTERVAL_MS = 100;
const COMPUTE_UNITS = 200_000;
const COMPUTE_UNIT_NONCES = 100_000;

/** Gives away worthless money on a local chain. Every call waits until the chain confirmed it. */
export interface Faucet {
  /** Adds lamports to an address; the signature of the airdrop. */
  sol(address: PublicKey, lamports: number): Promise<string>;
  /**
   * Mints USDC base units (1 USDC = 1 000 000) to a token account, or, given any other address, to
   * the associated token account of that owner, which it makes if needed. PDAs may be owners.
   * @throws StartError on a chain whose USDC is not ours to mint.
   */
  usdc(address: PublicKey, amountBaseUnits: bigint): Promise<string>;
}

/** @param mintAuthority the key that may mint; undefined on a chain that is not embedded. */
export function createFaucet(io: {
  readonly connection: Connection;
  readonly usdcMint: PublicKey;
  readonly mintAuthority: Keypair | undefined;
}): Faucet {
  const { connection, usdcMint, mintAuthority } = io;
  let nonce = 0;

  /** Two equal mints in one block would be one chain transaction; the odd limit tells them apart. */
  function tellApart(): TransactionInstruction {
    nonce = (nonce + 1) % COMPUTE_UNIT_NONCES;
    return ComputeBudgetProgram.setComputeUnitLimit({ units: COMPUTE_UNITS + nonce });
  }

  async function sol(address: PublicKey, lamports: number): Promise<string> {
    const signature = await connection.requestAirdrop(address, lamports);
    await confirm(connection, signature);
    return signature;
  }

  async function usdc(address: PublicKey, amountBaseUnits: bigint): Promise<string> {
    if (mintAuthority === undefined) {
      throw new StartError('The USDC faucet works on the embedded chain only (RPC_URL is set).');
    }
    const payer = mintAuthority.publicKey;
    const instructions = [tellApart()];
    let tokenAccount = address;
    if (!(await isTokenAccount(connection, address))) {
      tokenAccount = getAssociatedTokenAddressSync(usdcMint, address, true);
      instructions.push(
        createAssociatedTokenAccountIdempotentInstruction(payer, tokenAccount, address, usdcMint),
      );
    }
    instructions.push(createMintToInstruction(usdcMint, tokenAccount, payer, amountBaseUnits));
    const transaction = new Transaction({
      feePayer: payer,
      ...(await connection.getLatestBlockhash('confirmed')),
    }).add(...instructions);
    transaction.sign(mintAuthority);
    const signature = await connection.sendRawTransaction(transaction.serialize(), {
      skipPreflight: true,
    });
    await confirm(connection, signature);
    return signature;
  }

  return { sol, usdc };
}

async function isTokenAccount(connection: Connection, address: PublicKey): Promise<boolean> {
  const account = await connection.getAccountInfo(address, 'confirmed');
  return account?.owner.equals(TOKEN_PROGRAM_ID) === true && account.data.length === ACCOUNT_SIZE;
}

/** Waits until a chain transaction is confirmed. @throws StartError if it failed or never landed. */
async function confirm(connection: Connection, signature: string): Promise<void> {
  const deadline = Date.now() + CONFIRM_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const { value } = await connection.getSignatureStatuses([signature]);
    const status = value[0];
    if (status?.err) {
      throw new StartError(`The faucet's transaction failed: ${JSON.stringify(status.err)}.`);
    }
    if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') {
      return;
    }
    await delay(CONFIRM_INTERVAL_MS);
  }
  throw new StartError(
    `The faucet's transaction ${signature} was not confirmed in ${CONFIRM_TIMEOUT_MS / 1000} s.`,
  );
}
