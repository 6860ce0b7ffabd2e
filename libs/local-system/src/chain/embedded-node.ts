import type { Connection, Keypair } from '@solana/web3.js';
import type { SendAndConfirm } from './send-and-confirm.ts';

/** A Solana chain of this process that can be changed without transactions. */
export interface EmbeddedNode {
  readonly connection: Connection;
  /** Sends what `payer` alone signs and pays for. */
  sendAndConfirm(payer: Keypair): SendAndConfirm;
  fundSol(address: string, lamports: number): void;
  /** `owner` is the address of a program. */
  setAccount(address: string, lamports: number, data: readonly number[], owner: string): void;
  deploy(program: { readonly programId: string; readonly soPath: string }): void;
}

/** The same with its ports. */
export interface StartedNode extends EmbeddedNode {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  stop(): Promise<void>;
}
