/** A Solana node of this process, before our programs are on it. */
export interface EmbeddedNode {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  fundSol(address: string, lamports: number): void;
  /** `owner` is the address of a program. */
  setAccount(address: string, lamports: number, data: readonly number[], owner: string): void;
  deploy(program: { readonly programId: string; readonly soPath: string }): void;
  stop(): Promise<void>;
}
