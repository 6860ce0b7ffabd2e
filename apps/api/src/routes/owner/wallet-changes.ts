import { EVERYTHING } from '@agent-wallet/chain';
import { fractionBody, pauseBody, withdrawBody } from '@agent-wallet/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { ChainAccess } from '../../chain/chain-access.ts';
import { badRequest, refuse } from '../../http/http-refusal.ts';
import { refusalOf } from '../../spend/refuse/refusals.ts';
import { requireActiveWallet } from '../../wallet/wallet-activity.ts';
import { reserveToPrepare } from '../../chain/yield-reserve.ts';
import { DEADLINE_NOTE, type OwnerDeps, TRANSACTION_RESPONSES } from './owner-deps.ts';

/** Transactions for the owner to change the vault and to withdraw from it. */
export function walletChangeRoutes(deps: OwnerDeps): FastifyPluginAsyncZod {
  const { owners, chain } = deps;
  const { transactions } = chain;
  return async (app) => {
    app.post(
      '/v1/wallet/max-deployed-fraction',
      {
        config: {
          doc: {
            tag: 'Wallet',
            caller: 'owner',
            summary: 'Set the maximum share deployed to yield',
            description: DEADLINE_NOTE,
            errors: ['WALLET_NOT_FOUND', 'WALLET_NOT_ACTIVE', 'RPC_UNAVAILABLE'],
          },
        },
        schema: { body: fractionBody, response: TRANSACTION_RESPONSES },
      },
      async (request) => {
        const { owner } = owners.ownerOf(request);
        await requireActiveWallet(deps, owner);
        const { max_deployed_fraction_bp: bp } = request.body;
        const reserve = reserveToPrepare(chain, bp);
        return { txBase64: await transactions.setMaxDeployedFraction(owner, bp, reserve) };
      },
    );

    app.post(
      '/v1/wallet/pause',
      {
        config: {
          doc: {
            tag: 'Wallet',
            caller: 'owner',
            summary: 'Pause or resume all sessions',
            description: `Pauses without a body. While paused, no session can spend; the owner can still withdraw. A transaction that resumes has a deadline, one that pauses has none. ${DEADLINE_NOTE}`,
            errors: ['WALLET_NOT_FOUND', 'WALLET_NOT_ACTIVE', 'RPC_UNAVAILABLE'],
          },
        },
        schema: { body: pauseBody, response: TRANSACTION_RESPONSES },
      },
      async (request) => {
        const { owner } = owners.ownerOf(request);
        await requireActiveWallet(deps, owner);
        return { txBase64: await transactions.setPaused(owner, request.body?.paused ?? true) };
      },
    );

    app.post(
      '/v1/wallet/withdraw',
      {
        config: {
          doc: {
            tag: 'Wallet',
            caller: 'owner',
            summary: 'Withdraw from the vault',
            description:
              'To a USDC token account of the owner; without `destination` to the associated one, which the transaction creates where it is missing. Reservations of spends in flight do not count.',
            errors: [
              'WALLET_NOT_FOUND',
              'WALLET_NOT_ACTIVE',
              'NOTHING_TO_WITHDRAW',
              'INSUFFICIENT_LIQUID',
              'RPC_UNAVAILABLE',
            ],
          },
        },
        schema: { body: withdrawBody, response: TRANSACTION_RESPONSES },
      },
      async (request) => {
        const { owner } = owners.ownerOf(request);
        const { amount, destination = null } = request.body;
        const { liquid } = (await requireActiveWallet(deps, owner)).facts;
        if (amount === 'all' && liquid === 0n) {
          throw refuse('NOTHING_TO_WITHDRAW');
        }
        // Reservations do not count: the money is the owner's, and spends in flight may fail.
        if (amount !== 'all' && amount > liquid) {
          throw refusalOf({ kind: 'insufficient', amount, liquid, reserved: 0n });
        }
        await refuseForeignDestination(chain, owner, destination);
        const baseUnits = amount === 'all' ? EVERYTHING : amount;
        return { txBase64: await transactions.withdraw(owner, baseUnits, destination) };
      },
    );
  };
}

/** The program pays only to token accounts of the owner. Throws 400 for any other. */
async function refuseForeignDestination(
  chain: ChainAccess,
  owner: string,
  destination: string | null,
): Promise<void> {
  if (destination === null || destination === chain.addressesOf(owner).ownerUsdcAta) return;
  if (!(await chain.isUsdcAccountOf(destination, owner))) {
    throw badRequest('destination must be a USDC token account of the owner');
  }
}
