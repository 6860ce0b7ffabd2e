/** The subscribing methods: their parameters, and the names of their notifications. */

import { z } from 'zod';
import { accountConfig, addressParam, commitmentParam, isSignature } from '../rpc/params.ts';
import { invalidParams } from '../rpc/rpc-error.ts';
import type { Watch } from './watchers.ts';

type SubscribeMethod = {
  readonly notification: string;
  /** Throws RpcError for parameters that it does not accept. */
  readonly watchOf: (params: readonly unknown[]) => Watch;
};

const level = z.object({ commitment: commitmentParam.nullish() }).nullish();
const signatureParams = z.tuple([z.string(), level]);
const accountParams = z.tuple([z.string(), accountConfig.nullish()]);
const logsFilter = z.union([
  z.enum(['all', 'allWithVotes']),
  z.object({ mentions: z.array(z.string()) }),
]);
const logsParams = z.tuple([logsFilter, level]);

function parse<Output>(schema: z.ZodType<Output>, params: readonly unknown[]): Output {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  throw invalidParams(`Invalid params: ${parsed.error.issues[0]?.message ?? 'unreadable'}`);
}

function address(text: string): string {
  if (addressParam.safeParse(text).success) return text;
  throw invalidParams('Invalid Request: Invalid pubkey provided');
}

export const SUBSCRIBE_METHODS: ReadonlyMap<string, SubscribeMethod> = new Map<
  string,
  SubscribeMethod
>([
  ['slotSubscribe', { notification: 'slotNotification', watchOf: () => ({ kind: 'slot' }) }],
  [
    'signatureSubscribe',
    {
      notification: 'signatureNotification',
      watchOf: (params) => {
        const [signature, config] = parse(signatureParams, params);
        if (!isSignature(signature)) {
          throw invalidParams('Invalid Request: Invalid signature provided');
        }
        return { kind: 'signature', signature, commitment: config?.commitment ?? 'finalized' };
      },
    },
  ],
  [
    'accountSubscribe',
    {
      notification: 'accountNotification',
      watchOf: (params) => {
        const [wanted, config] = parse(accountParams, params);
        return {
          kind: 'account',
          address: address(wanted),
          view: config ?? {},
          commitment: config?.commitment ?? 'finalized',
        };
      },
    },
  ],
  [
    'logsSubscribe',
    {
      notification: 'logsNotification',
      watchOf: (params) => {
        const [filter, config] = parse(logsParams, params);
        const commitment = config?.commitment ?? 'finalized';
        if (typeof filter === 'string') return { kind: 'logs', mentions: null, commitment };
        const [mentioned, ...others] = filter.mentions;
        if (mentioned === undefined || others.length > 0) {
          throw invalidParams('Invalid Request: Only 1 address supported');
        }
        return { kind: 'logs', mentions: address(mentioned), commitment };
      },
    },
  ],
]);

/** `slotUnsubscribe` and so on. */
export const UNSUBSCRIBE_METHODS: ReadonlySet<string> = new Set(
  [...SUBSCRIBE_METHODS.keys()].map((name) => name.replace('Subscribe', 'Unsubscribe')),
);
