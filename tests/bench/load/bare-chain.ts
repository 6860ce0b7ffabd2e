import type { EmbeddedChain } from '@agent-wallet/local-system/chain/embedded-chain.ts';
import { Connection, Keypair, SystemProgram, Transaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { Pool } from 'undici';

const CLIENTS = 64;
const LAMPORTS = 1_000_000;
/** The default, `finalized`, does not know a blockhash of this minute. */
const SEND_CONFIG = { encoding: 'base64', preflightCommitment: 'confirmed' } as const;

/** The rate at which a chain accepts transfers of SOL that were signed before, per second. */
export async function bareChainRate(chain: EmbeddedChain, count: number): Promise<number> {
  const payer = Keypair.fromSecretKey(bs58.decode(chain.faucetSecretKey));
  const { blockhash } = await new Connection(chain.rpcUrl, 'confirmed').getLatestBlockhash();
  const to = Keypair.generate().publicKey;
  const bodies = Array.from({ length: count }, (_, n) => {
    const transfer = { fromPubkey: payer.publicKey, toPubkey: to, lamports: LAMPORTS + n };
    const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash });
    transaction.add(SystemProgram.transfer(transfer)).sign(payer);
    const params = [transaction.serialize().toString('base64'), SEND_CONFIG];
    return JSON.stringify({ jsonrpc: '2.0', id: n, method: 'sendTransaction', params });
  }).values();
  const pool = new Pool(chain.rpcUrl, { connections: CLIENTS });
  async function sendOnAndOn(): Promise<void> {
    for (const body of bodies) {
      const headers = { 'content-type': 'application/json' };
      const reply = await pool.request({ method: 'POST', path: '/', headers, body });
      const text = await reply.body.text();
      if (text.includes('"error"')) throw new Error(`the chain refused a transfer: ${text}`);
    }
  }
  const startedMs = performance.now();
  try {
    await Promise.all(Array.from({ length: CLIENTS }, sendOnAndOn));
  } finally {
    await pool.destroy();
  }
  return count / ((performance.now() - startedMs) / 1_000);
}
