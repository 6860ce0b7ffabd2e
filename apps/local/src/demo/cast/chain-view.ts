import {
  createRpc,
  createWalletProgram,
  decodeReserve,
  SANDBOX_RESERVE,
  tokenAmountOf,
} from '@agent-wallet/chain';
import { createAssociatedTokenAccountIdempotentInstruction } from '@solana/spl-token';
import { type Keypair, PublicKey, Transaction } from '@solana/web3.js';
import { z } from 'zod';
import type { RunningSystem } from '@agent-wallet/local-system/system/running-system.ts';
import { poll } from '../poll.ts';

const CALL_TIMEOUT_MS = 10_000;
const CONFIRM_TIMEOUT_MS = 60_000;

/** The chain as seen through any RPC node. Amounts in base units, read at `confirmed`. */
export type ChainView = {
  /** The associated USDC token account of an owner. */
  usdcAccountOf(owner: string): string;
  /** The balance of each of these token accounts. */
  balances(tokenAccounts: readonly string[]): Promise<readonly bigint[]>;
  exists(address: string): Promise<boolean>;
  /** The amount that the embedded chain's yield reserve can pay out. */
  reserveAvailable(): Promise<bigint>;
  /** How many of these signatures are of chain transactions that landed and succeeded. */
  countLanded(signatures: readonly string[]): Promise<number>;
  /** Sends a signed transaction and waits until it is confirmed. */
  send(signed: Uint8Array): Promise<string>;
  /** Creates USDC token accounts for these owners at the expense of `payer`. */
  openUsdcAccounts(owners: readonly string[], payer: Keypair): Promise<string>;
};

/** The chain of a running system, seen through its RPC node only. */
export function createChainView(
  {
    urls,
    programId,
    usdcMint,
  }: Pick<RunningSystem, 'programId' | 'usdcMint'> & {
    readonly urls: Pick<RunningSystem['urls'], 'rpc'>;
  },
  ended: AbortSignal,
): ChainView {
  const rpc = createRpc({ url: urls.rpc, timeoutMs: CALL_TIMEOUT_MS });
  const { addresses } = createWalletProgram({ programId, usdcMint });

  async function send(signed: Uint8Array): Promise<string> {
    const reply = await rpc.sendRaw(signed, { skipPreflight: false });
    if (!reply.ok) throw new Error(`the chain refused the owner's transaction: ${reply.message}`);
    const signature = z.string().parse(reply.result);
    const status = await poll(
      "confirmation of the owner's transaction",
      async () => {
        const { statuses } = await rpc.signatureStatuses([signature], { searchHistory: false });
        const [seen = null] = statuses;
        return seen === null || seen.confirmationStatus === 'processed' ? null : seen;
      },
      { timeoutMs: CONFIRM_TIMEOUT_MS, ended },
    );
    if (status.err !== null) {
      throw new Error(`the owner's transaction failed: ${JSON.stringify(status.err)}`);
    }
    return signature;
  }

  return {
    usdcAccountOf: (owner) => addresses.usdcAta(owner),
    balances: async (tokenAccounts) => {
      const { accounts } = await rpc.accounts(tokenAccounts, { commitment: 'confirmed' });
      return accounts.map(tokenAmountOf);
    },
    exists: async (address) => {
      const { accounts } = await rpc.accounts([address], { commitment: 'confirmed' });
      return (accounts[0] ?? null) !== null;
    },
    reserveAvailable: async () => {
      const { reserve } = SANDBOX_RESERVE;
      const { accounts } = await rpc.accounts([reserve], { commitment: 'confirmed' });
      const account = accounts[0] ?? null;
      const state = account === null ? null : decodeReserve(SANDBOX_RESERVE, account);
      if (state === null) throw new Error('there is no yield reserve on this chain');
      return state.available;
    },
    countLanded: async (signatures) => {
      const { statuses } = await rpc.signatureStatuses(signatures, { searchHistory: true });
      return statuses.filter((status) => status?.err === null).length;
    },
    send,
    openUsdcAccounts: async (owners, payer) => {
      const { blockhash } = await rpc.latestBlockhash();
      const transaction = new Transaction();
      transaction.recentBlockhash = blockhash;
      transaction.feePayer = payer.publicKey;
      for (const owner of owners) {
        transaction.add(
          createAssociatedTokenAccountIdempotentInstruction(
            payer.publicKey,
            new PublicKey(addresses.usdcAta(owner)),
            new PublicKey(owner),
            new PublicKey(usdcMint),
          ),
        );
      }
      transaction.sign(payer);
      return send(transaction.serialize());
    },
  };
}
