import {
  quoteBody,
  serviceBody,
  signPaymentBody,
  transferBody,
  yieldBody,
} from '@agent-wallet/contract';
import type { z } from 'zod';
import type { Method } from '../http/http-client.ts';
import {
  configReply,
  depositReply,
  limitsReply,
  positionReply,
  quoteReply,
  servicesReply,
  signPaymentReply,
  spendReply,
  spendsReply,
  transferReply,
  withdrawReply,
} from './replies.ts';

/** One operation of the API. */
export type Call<Reply> = {
  readonly method: Method;
  /** As in the OpenAPI document. */
  readonly path: string;
  /** Null for a call without a body. */
  readonly body: z.ZodType | null;
  /** Whether it takes an `Idempotency-Key`. */
  readonly movesMoney: boolean;
  /** Null where the reply is a service's own. */
  readonly reply: z.ZodType<Reply> | null;
};

const read = { method: 'GET', body: null, movesMoney: false } as const;
const spend = { method: 'POST', movesMoney: true } as const;

/** The deployment; without authentication. */
export const CONFIG_CALL = { ...read, path: '/v1/config', reply: configReply } as const;

/** The operations that an agent's key may call. */
export const AGENT_CALLS = {
  position: { ...read, path: '/v1/yield/position', reply: positionReply },
  limits: { ...read, path: '/v1/agent/limits', reply: limitsReply },
  services: { ...read, path: '/v1/services', reply: servicesReply },
  spend: { ...read, path: '/v1/spend/{id}', reply: spendReply },
  spends: { ...read, path: '/v1/spends', reply: spendsReply },
  quote: {
    method: 'POST',
    path: '/v1/spend/quote',
    body: quoteBody,
    movesMoney: false,
    reply: quoteReply,
  },
  transfer: { ...spend, path: '/v1/spend/transfer', body: transferBody, reply: transferReply },
  signPayment: {
    ...spend,
    path: '/v1/spend/sign-payment',
    body: signPaymentBody,
    reply: signPaymentReply,
  },
  service: { ...spend, path: '/v1/spend/service', body: serviceBody, reply: null },
  deposit: { ...spend, path: '/v1/yield/deposit', body: yieldBody, reply: depositReply },
  withdraw: { ...spend, path: '/v1/yield/withdraw', body: yieldBody, reply: withdrawReply },
} as const satisfies Record<string, Call<unknown>>;
