import { policyBody, walletPolicyAnswer } from '@agent-wallet/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { setPolicy } from '../../wallet/set-policy.ts';
import { readPolicy } from '@agent-wallet/wallet';
import { requireWallet } from '../../wallet/wallet-activity.ts';
import { REFUSALS } from '../../http/http-refusal.ts';
import type { OwnerDeps } from './owner-deps.ts';

const ANSWERS = { 200: walletPolicyAnswer, ...REFUSALS };

/** The off-chain rules of the owner's wallet. */
export function policyRoutes({ db, owners }: OwnerDeps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/v1/wallet/policy',
      {
        config: {
          doc: {
            tag: 'Wallet',
            caller: 'owner',
            summary: 'Read the off-chain rules',
            errors: ['WALLET_NOT_FOUND'],
          },
        },
        schema: { response: ANSWERS },
      },
      async (request) => {
        const wallet = await requireWallet(db, owners.ownerOf(request).owner);
        return readPolicy(db, wallet.walletId);
      },
    );

    app.put(
      '/v1/wallet/policy',
      {
        config: {
          doc: {
            tag: 'Wallet',
            caller: 'owner',
            summary: 'Replace the off-chain rules',
            description:
              'Replaces all rules at once. Each change makes a new version and keeps the old ones; unchanged rules make none. Without a window spends are always allowed; an empty allowlist denies every URL.',
            errors: ['WALLET_NOT_FOUND'],
          },
        },
        schema: { body: policyBody, response: ANSWERS },
      },
      async (request) => {
        const wallet = await requireWallet(db, owners.ownerOf(request).owner);
        return setPolicy(db, wallet, request.body);
      },
    );
  };
}
