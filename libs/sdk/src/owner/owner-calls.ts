import {
  createSessionBody,
  createWalletBody,
  emptyBody,
  fractionBody,
  limitsBody,
  ownerYieldWithdrawBody,
  pauseBody,
  policyBody,
  recipientsBody,
  signInBody,
  withdrawBody,
  yieldBody,
} from '@agent-wallet/contract';
import { type Call, CONFIG_CALL } from '../agent/calls.ts';
import { spendsReply } from '../agent/replies.ts';
import {
  auditReply,
  createSessionReply,
  createWalletReply,
  depositAddressReply,
  nonceReply,
  policyReply,
  rotateKeyReply,
  sessionBlastRadiusReply,
  sessionReply,
  sessionsReply,
  signInReply,
  signOutReply,
  transactionReply,
  walletBlastRadiusReply,
  walletReply,
  walletYieldReply,
} from './owner-replies.ts';
import { WEBHOOK_CALLS } from './webhooks/webhook-calls.ts';

const read = { method: 'GET', body: null, movesMoney: false } as const;
const post = { method: 'POST', movesMoney: false } as const;
const YIELD = '/v1/wallet/yield';
const SESSION = '/v1/session/{id}';

/** The operations of an owner; none moves money before the owner has signed. */
export const OWNER_CALLS = {
  config: CONFIG_CALL,
  nonce: { ...post, path: '/v1/auth/siws/nonce', body: emptyBody, reply: nonceReply },
  signIn: { ...post, path: '/v1/auth/siws', body: signInBody, reply: signInReply },
  signOut: { ...post, path: '/v1/auth/logout', body: emptyBody, reply: signOutReply },
  createWallet: { ...post, path: '/v1/wallet', body: createWalletBody, reply: createWalletReply },
  wallet: { ...read, path: '/v1/wallet', reply: walletReply },
  walletBlastRadius: { ...read, path: '/v1/wallet/blast-radius', reply: walletBlastRadiusReply },
  depositAddress: { ...read, path: '/v1/fund/deposit-address', reply: depositAddressReply },
  policy: { ...read, path: '/v1/wallet/policy', reply: policyReply },
  setPolicy: {
    method: 'PUT',
    path: '/v1/wallet/policy',
    body: policyBody,
    movesMoney: false,
    reply: policyReply,
  },
  pause: { ...post, path: '/v1/wallet/pause', body: pauseBody, reply: transactionReply },
  withdraw: { ...post, path: '/v1/wallet/withdraw', body: withdrawBody, reply: transactionReply },
  setMaxDeployedFraction: {
    ...post,
    path: '/v1/wallet/max-deployed-fraction',
    body: fractionBody,
    reply: transactionReply,
  },
  yieldPosition: { ...read, path: YIELD, reply: walletYieldReply },
  yieldDeposit: { ...post, path: `${YIELD}/deposit`, body: yieldBody, reply: transactionReply },
  yieldWithdraw: {
    ...post,
    path: `${YIELD}/withdraw`,
    body: ownerYieldWithdrawBody,
    reply: transactionReply,
  },
  createSession: {
    ...post,
    path: '/v1/session',
    body: createSessionBody,
    reply: createSessionReply,
  },
  sessions: { ...read, path: '/v1/session', reply: sessionsReply },
  session: { ...read, path: SESSION, reply: sessionReply },
  sessionBlastRadius: {
    ...read,
    path: `${SESSION}/blast-radius`,
    reply: sessionBlastRadiusReply,
  },
  changeLimits: {
    method: 'PATCH',
    path: SESSION,
    body: limitsBody,
    movesMoney: false,
    reply: transactionReply,
  },
  changeRecipients: {
    method: 'PUT',
    path: `${SESSION}/recipients`,
    body: recipientsBody,
    movesMoney: false,
    reply: transactionReply,
  },
  rotateKey: { ...post, path: `${SESSION}/rotate-key`, body: emptyBody, reply: rotateKeyReply },
  revoke: { ...post, path: `${SESSION}/revoke`, body: emptyBody, reply: transactionReply },
  audit: { ...read, path: '/v1/audit', reply: auditReply },
  spends: { ...read, path: '/v1/spends', reply: spendsReply },
  ...WEBHOOK_CALLS,
} as const satisfies Record<string, Call<unknown>>;
