import { createPrivateKey, sign } from 'node:crypto';
import {
  auditAnswer,
  createSessionAnswer,
  createWalletAnswer,
  depositAddressAnswer,
  nonceAnswer,
  ownerTransactionAnswer,
  policyAnswer,
  type PolicyAnswer,
  rotateKeyAnswer,
  sessionAnswer,
  signInAnswer,
  walletAnswer,
} from '@agent-wallet/contract';
import type { Keypair } from '@solana/web3.js';
import type { z } from 'zod';
import { bodyOf, type CallApi, type CallOptions } from './call-api.ts';

/** The limits that the owner grants an agent. Amounts in base units. */
export type Grant = {
  readonly maxPerTx: bigint;
  readonly dailyCap: bigint;
  readonly recipients: readonly string[];
  /** Bits of allowed_instructions; direct transfers when left out. */
  readonly instructions?: number;
};

export type AuditItem = z.output<typeof auditAnswer>['items'][number];

/** An owner who has signed in: calls to the owner endpoints, with the cookie. */
export type Owner = {
  readonly keypair: Keypair;
  createWallet(): Promise<z.output<typeof createWalletAnswer>>;
  wallet(): Promise<z.output<typeof walletAnswer>>;
  depositAddress(): Promise<z.output<typeof depositAddressAnswer>>;
  createSession(walletId: string, grant: Grant): Promise<z.output<typeof createSessionAnswer>>;
  session(sessionId: string): Promise<z.output<typeof sessionAnswer>>;
  rotateKey(sessionId: string): Promise<string>;
  /**
   * Replaces the off-chain rules. Without an allowlist no URL is allowed; without hours, any time.
   */
  setPolicy(policy: Partial<PolicyAnswer>): Promise<void>;
  /** The unsigned transaction that allows this share of the vault to be deployed. */
  setMaxDeployedFraction(basisPoints: number): Promise<string>;
  /** The unsigned transaction that revokes a session. */
  revoke(sessionId: string): Promise<string>;
  auditPage(query: Readonly<Record<string, string>>): Promise<z.output<typeof auditAnswer>>;
};

const SESSION_SECONDS = 24 * 60 * 60;
/** bit 0: direct transfers. */
const TRANSFERS_ONLY = 1;
/** The PKCS #8 prefix before the 32 secret bytes of an ed25519 key. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Signs in with the owner's wallet key: nonce, message, signature, cookie. */
export async function signIn(callApi: CallApi, keypair: Keypair): Promise<Owner> {
  const challenge = bodyOf(await callApi('POST', '/v1/auth/siws/nonce', { body: {} }), nonceAnswer);
  const pubkey = keypair.publicKey.toBase58();
  const message = challenge.message.replace('{pubkey}', pubkey);
  const answer = await callApi('POST', '/v1/auth/siws', {
    body: { pubkey, nonce: challenge.nonce, signature: signMessage(message, keypair) },
  });
  bodyOf(answer, signInAnswer);
  const cookie = answer.headers.get('set-cookie')?.split(';')[0];
  if (cookie?.startsWith('svc_session=') !== true)
    throw new Error('the reply has no cookie svc_session');
  return createOwner(callApi, keypair, cookie);
}

function signMessage(message: string, keypair: Keypair): string {
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8_ED25519, keypair.secretKey.subarray(0, 32)]),
    format: 'der',
    type: 'pkcs8',
  });
  return sign(null, Buffer.from(message, 'utf8'), key).toString('base64');
}

function createOwner(callApi: CallApi, keypair: Keypair, cookie: string): Owner {
  const call = (method: 'GET' | 'POST' | 'PUT', path: string, options: CallOptions = {}) =>
    callApi(method, path, { ...options, headers: { cookie } });
  const get = (path: string) => call('GET', path);
  return {
    keypair,
    createWallet: async () =>
      bodyOf(await call('POST', '/v1/wallet', { body: {} }), createWalletAnswer),
    wallet: async () => bodyOf(await get('/v1/wallet'), walletAnswer),
    depositAddress: async () => bodyOf(await get('/v1/fund/deposit-address'), depositAddressAnswer),
    createSession: async (walletId, grant) => {
      const { maxPerTx, dailyCap, recipients, instructions = TRANSFERS_ONLY } = grant;
      const body = {
        wallet_id: walletId,
        max_per_tx: maxPerTx.toString(),
        daily_cap: dailyCap.toString(),
        expiry: Math.floor(Date.now() / 1000) + SESSION_SECONDS,
        allowed_recipients: recipients,
        allowed_instructions: instructions,
      };
      return bodyOf(await call('POST', '/v1/session', { body }), createSessionAnswer);
    },
    session: async (sessionId) => bodyOf(await get(`/v1/session/${sessionId}`), sessionAnswer),
    rotateKey: async (sessionId) => {
      const answer = await call('POST', `/v1/session/${sessionId}/rotate-key`);
      return bodyOf(answer, rotateKeyAnswer).api_key;
    },
    setPolicy: async (policy) => {
      const body = { url_allowlist: [], time_window: null, ...policy };
      bodyOf(await call('PUT', '/v1/wallet/policy', { body }), policyAnswer);
    },
    setMaxDeployedFraction: async (basisPoints) => {
      const body = { max_deployed_fraction_bp: basisPoints };
      const answer = await call('POST', '/v1/wallet/max-deployed-fraction', { body });
      return bodyOf(answer, ownerTransactionAnswer).txBase64;
    },
    revoke: async (sessionId) => {
      const answer = await call('POST', `/v1/session/${sessionId}/revoke`);
      return bodyOf(answer, ownerTransactionAnswer).txBase64;
    },
    auditPage: async (query) =>
      bodyOf(await get(`/v1/audit?${new URLSearchParams(query).toString()}`), auditAnswer),
  };
}
