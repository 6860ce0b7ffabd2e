import {
  ACCOUNT_SIZE,
  createAssociatedTokenAccountIdempotentInstruction,
  createMintToInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import type { Connection, Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js';
import { confirm, createSendAndConfirm } from '../chain/send-and-confirm.ts';
import { StartError } from '../system/start-error.ts';

/** Gives away worthless money on a local chain. Each call waits for confirmation. */
export interface Faucet {
  /** Adds lamports to an address; returns the signature of the airdrop. */
  sol(address: PublicKey, lamports: number): Promise<string>;
  /**
   * Mints USDC base units (1 USDC = 1 000 000) to a token account or, for any other address, to the
   * associated token account of that owner, which it creates if needed. PDAs may be owners. Throws
   * StartError on a chain whose USDC is not ours to mint.
   */
  usdc(address: PublicKey, amountBaseUnits: bigint): Promise<string>;
}

/** `mintAuthority` may mint USDC; undefined on a chain that is not embedded. */
export function createFaucet(io: {
  readonly connection: Connection;
  readonly usdcMint: PublicKey;
  readonly mintAuthority: Keypair | undefined;
}): Faucet {
  const { connection, usdcMint, mintAuthority } = io;
  const send =
    mintAuthority === undefined ? undefined : createSendAndConfirm(connection, mintAuthority);

  async function sol(address: PublicKey, lamports: number): Promise<string> {
    const signature = await connection.requestAirdrop(address, lamports);
    await confirm(connection, signature);
    return signature;
  }

  async function usdc(address: PublicKey, amountBaseUnits: bigint): Promise<string> {
    if (mintAuthority === undefined || send === undefined) {
      throw new StartError('The USDC faucet works on the embedded chain only (RPC_URL is set).');
    }
    const payer = mintAuthority.publicKey;
    const instructions: TransactionInstruction[] = [];
    let tokenAccount = address;
    if (!(await isTokenAccount(connection, address))) {
      tokenAccount = getAssociatedTokenAddressSync(usdcMint, address, true);
      instructions.push(
        createAssociatedTokenAccountIdempotentInstruction(payer, tokenAccount, address, usdcMint),
      );
    }
    instructions.push(createMintToInstruction(usdcMint, tokenAccount, payer, amountBaseUnits));
    return send(instructions);
  }

  return { sol, usdc };
}

async function isTokenAccount(connection: Connection, address: PublicKey): Promise<boolean> {
  const account = await connection.getAccountInfo(address, 'confirmed');
  return account?.owner.equals(TOKEN_PROGRAM_ID) === true && account.data.length === ACCOUNT_SIZE;
}
