import { policyBody, refusal, walletPolicyAnswer } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { OwnerAuth } from '../../auth/authenticate-owner.ts';
import { setPolicy } from '../../wallet/set-policy.ts';
import { readPolicy } from '@agent-wallet/wallet';
import { requireWallet } from '../../wallet/wallet-activity.ts';

const ANSWERS = { 200: walletPolicyAnswer, '4xx': refusal, '5xx': refusal };

/** The off-chain rules of the owner's wallet. */
export function policyRoutes(deps: {
  readonly db: Database;
  readonly owners: OwnerAuth;
}): FastifyPluginAsyncZod {
  const { db, owners } = deps;
  return async (app) => {
    app.addHook('onRequest', owners.authenticate);

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
              'All of them at once. Every change is a new version and old ones stay; what already holds makes none. No window is always open, an empty allowlist denies every URL.',
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
