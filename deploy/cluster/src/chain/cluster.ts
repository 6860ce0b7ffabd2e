import type { Connection, Keypair } from '@solana/web3.js';
import type { Send } from './send.ts';

/** A chain, and who pays and signs there. */
export type Cluster = {
  readonly connection: Connection;
  /** Pays for everything; also the authority of programs and buffers. */
  readonly payer: Keypair;
  readonly send: Send;
  /** Receives a line for people about each step. */
  readonly say: (line: string) => void;
};
