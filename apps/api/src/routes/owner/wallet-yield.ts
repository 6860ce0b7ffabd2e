import { collateralToRedeem, EVERYTHING, type Reserve, withdrawableOf } from '@agent-wallet/chain';
import { ownerYieldWithdrawBody, yieldBody } from '@agent-wallet/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { ChainAccess, PositionFacts } from '../../chain/chain-access.ts';
import { refuse } from '../../http/http-refusal.ts';
import { refusalByProgram, refusalOf } from '../../spend/refusals.ts';
import { requireActiveWallet } from '../../wallet/wallet-activity.ts';
import { type OwnerDeps, TRANSACTION_RESPONSES } from './owner-deps.ts';

/** Transactions for the owner to deposit to the yield reserve and to withdraw from it. */
export function walletYieldRoutes(deps: OwnerDeps): FastifyPluginAsyncZod {
  const { owners, chain } = deps;
  const { transactions } = chain;
  return async (app) => {
    app.post(
      '/v1/wallet/yield/deposit',
      {
        config: {
          doc: {
            tag: 'Yield',
            caller: 'owner',
            summary: 'Deploy to the yield reserve, by the owner',
            description: 'Reservations of spends in flight do not count.',
            errors: [
              'YIELD_DISABLED',
              'WALLET_NOT_FOUND',
              'WALLET_NOT_ACTIVE',
              'RPC_UNAVAILABLE',
              'INSUFFICIENT_LIQUID',
            ],
          },
        },
        schema: { body: yieldBody, response: TRANSACTION_RESPONSES },
      },
      async (request) => {
        const { owner } = owners.ownerOf(request);
        const reserve = requireReserve(chain);
        const { amount } = request.body;
        const { liquid, vault } = (await requireActiveWallet(deps, owner)).facts;
        // Reservations do not count: the money is the owner's, and spends in flight may fail.
        if (amount > liquid) {
          const deployed = vault?.deployedAmount ?? 0n;
          throw refusalOf({ kind: 'insufficient', amount, liquid, reserved: 0n, deployed });
        }
        return { txBase64: await transactions.yieldDeposit(owner, reserve, amount) };
      },
    );

    app.post(
      '/v1/wallet/yield/withdraw',
      {
        config: {
          doc: {
            tag: 'Yield',
            caller: 'owner',
            summary: 'Withdraw from the yield reserve, by the owner',
            description: '`all` withdraws the whole position, interest included.',
            errors: [
              'YIELD_DISABLED',
              'WALLET_NOT_FOUND',
              'WALLET_NOT_ACTIVE',
              'RPC_UNAVAILABLE',
              'NOTHING_TO_WITHDRAW',
              'PARTIAL_LIQUIDITY',
              'PROGRAM',
            ],
          },
        },
        schema: { body: ownerYieldWithdrawBody, response: TRANSACTION_RESPONSES },
      },
      async (request) => {
        const { owner } = owners.ownerOf(request);
        const reserve = requireReserve(chain);
        const { wallet } = await requireActiveWallet(deps, owner);
        const facts = await chain.readPosition(wallet, []);
        const { amount } = request.body;
        refuseWithdrawal(facts, amount);
        const amounts = {
          amount: amount === 'all' ? EVERYTHING : amount,
          collateralAmount: collateralFor(facts, amount),
        };
        return { txBase64: await transactions.yieldWithdraw(owner, reserve, amounts) };
      },
    );
  };
}

/** Throws 503 while yield is switched off. */
function requireReserve({ yieldReserve }: ChainAccess): Reserve {
  if (yieldReserve === null) throw refuse('YIELD_DISABLED');
  return yieldReserve;
}

/** For `all`, or an unknown position, any non-zero amount is accepted. */
function collateralFor({ slot, yield: held }: PositionFacts, amount: bigint | 'all'): bigint {
  if (held === null || amount === 'all') return 1n;
  return collateralToRedeem(held.reserve, { held: held.collateral, amount, slot });
}

function refuseWithdrawal(facts: PositionFacts, amount: bigint | 'all'): void {
  const deployed = facts.vault?.deployedAmount ?? 0n;
  const held = facts.yield;
  if (amount === 'all' && deployed === 0n && (held === null || held.collateral === 0n)) {
    throw refuse('NOTHING_TO_WITHDRAW');
  }
  if (amount !== 'all' && amount > deployed) {
    const detail = `WithdrawExceedsDeployed: ${deployed} base units are deployed`;
    throw refusalByProgram(detail, 'WithdrawExceedsDeployed');
  }
  if (held === null) return;
  const { reserve, collateral } = held;
  const available = withdrawableOf(reserve, collateral, deployed);
  const wanted = amount === 'all' ? deployed : amount;
  if (wanted > available) throw refusalOf({ kind: 'partial_liquidity', available });
}
