import type { SessionState, VaultState } from '@agent-wallet/chain';
import { Keypair, Transaction } from '@solana/web3.js';
import { z } from 'zod';
import { callApi } from '../../../support/http/call-api.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import type { Target } from '../../target.ts';
import { createTrustingOwner, type TrustingOwner } from './trusting-owner.ts';

const FUNDS = 1_000_000n;
const made = z.object({
  txBase64: z.string(),
  session_id: z.string().default(''),
  session_pda: z.string().default(''),
  session_pubkey: z.string().default(''),
});

/** An unsigned transaction of the api, and of a new session its addresses. */
export type Built = z.output<typeof made>;

/** An owner, the transactions that the api builds for it, and its accounts on the chain. */
export type Signer = {
  readonly target: Target;
  readonly owner: TrustingOwner;
  readonly address: string;
  /** A body for POST /v1/session. */
  readonly wanted: object;
  ask(method: 'POST' | 'PUT' | 'PATCH', path: string, body?: object): Promise<Built>;
  /** Signs and sends. */
  send(txBase64: string): Promise<void>;
  session(pda: string): Promise<SessionState | null>;
  vault(): Promise<VaultState>;
};

export async function createSigner(
  target: Target,
  settings: Parameters<typeof createTrustingOwner>[2] = {},
): Promise<Signer> {
  const { fixture, system } = target;
  const owner = await createTrustingOwner(target, FUNDS, settings);
  const { rpc, program } = fixture;
  const accountAt = async (address: string) => {
    const { accounts } = await rpc.accounts([address], { commitment: 'confirmed' });
    return accounts[0] ?? null;
  };
  return {
    target,
    owner,
    address: owner.keypair.publicKey.toBase58(),
    wanted: {
      wallet_id: owner.walletId,
      max_per_tx: 10,
      daily_cap: 10,
      expiry: Math.floor(Date.now() / 1_000) + 3_600,
      allowed_recipients: [Keypair.generate().publicKey.toBase58()],
      allowed_instructions: 1,
    },
    ask: async (method, path, body = {}) => {
      const headers = { cookie: owner.cookie };
      const answer = await callApi(system, method, path, { headers, body });
      if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
      return made.parse(answer.body);
    },
    send: (txBase64) => fixture.ownerSends(owner.keypair, txBase64),
    session: async (pda) => {
      const account = await accountAt(pda);
      return account === null ? null : program.decodeSession(account);
    },
    vault: async () => {
      const account = await accountAt(owner.vault);
      const state = account === null ? null : program.decodeVault(account);
      if (state === null) throw new Error('there is no vault');
      return state;
    },
  };
}

/**
 * Sends a transaction that was held back. Null when the program refuses it for this reason; else
 * what happened. It is signed here, over a newer blockhash: a durable nonce would have kept the
 * old signature valid.
 */
export async function mustRefuse(
  signer: Signer,
  txBase64: string,
  reason: string,
): Promise<string | null> {
  const transaction = Transaction.from(Buffer.from(txBase64, 'base64'));
  const { recentBlockhash: old } = transaction;
  transaction.recentBlockhash = await waitUntil('a newer blockhash', async () => {
    const { blockhash } = await signer.target.fixture.rpc.latestBlockhash();
    return blockhash !== old && blockhash;
  });
  const renewed = transaction.serialize({ requireAllSignatures: false });
  try {
    await signer.send(renewed.toString('base64'));
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    return told.includes(`Error Code: ${reason}.`) ? null : `was refused otherwise: ${told}`;
  }
  return 'was executed';
}
