import {
  collateralToRedeem,
  EVERYTHING,
  payableCollateral,
  type Reserve,
  withdrawableOf,
} from '@agent-wallet/chain';
import { ownerYieldWithdrawBody, walletYieldAnswer, yieldBody } from '@agent-wallet/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { ChainAccess, PositionFacts } from '../../chain/chain-access.ts';
import { refuse, REFUSALS } from '../../http/http-refusal.ts';
import { refusalByProgram, refusalOf } from '../../spend/refuse/refusals.ts';
import { requireActiveWallet, requireWallet } from '../../wallet/wallet-activity.ts';
import { describeWalletYield } from '../../wallet/yield-position.ts';
import { DEADLINE_NOTE, type OwnerDeps, TRANSACTION_RESPONSES } from './owner-deps.ts';

/** The owner's position in the yield reserve, and transactions to deposit and to withdraw. */
export function walletYieldRoutes(deps: OwnerDeps): FastifyPluginAsyncZod {
  const { owners, chain } = deps;
  const { transactions } = chain;
  return async (app) => {
    app.get(
      '/v1/wallet/yield',
      {
        config: {
          doc: {
            tag: 'Yield',
            caller: 'owner',
            summary: 'Read what is deployed and what it has earned',
            description:
              '`accrued` is what the position has earned and not yet paid out; `earned` is what yield has earned over the life of the wallet.',
            errors: ['WALLET_NOT_FOUND'],
          },
        },
        schema: { response: { 200: walletYieldAnswer, ...REFUSALS } },
      },
      async (request) =>
        describeWalletYield(deps, await requireWallet(deps.db, owners.ownerOf(request).owner)),
    );

    app.post(
      '/v1/wallet/yield/deposit',
      {
        config: {
          doc: {
            tag: 'Yield',
            caller: 'owner',
            summary: 'Deploy to the yield reserve, by the owner',
            description: `Reservations of spends in flight do not count. ${DEADLINE_NOTE}`,
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
            description: `\`all\` withdraws as much of the position, interest included, as the reserve can pay now. When no collateral is left, it writes off the deployed amount, which is a loss then. ${DEADLINE_NOTE}`,
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

/**
 * How much collateral a withdrawal redeems. Everything is what is there and can be paid for now; 0
 * writes off a loss. A part of an unknown position cannot be computed; the program refuses too much.
 */
function collateralFor(facts: PositionFacts, amount: bigint | 'all'): bigint {
  const { collateral: held, slot, yield: known } = facts;
  if (amount !== 'all') {
    return known === null ? 1n : collateralToRedeem(known.reserve, { held, amount, slot });
  }
  return known === null ? held : payableCollateral(known.reserve, { held, slot });
}

function refuseWithdrawal(facts: PositionFacts, amount: bigint | 'all'): void {
  const deployed = facts.vault?.deployedAmount ?? 0n;
  const { collateral, yield: known } = facts;
  if (amount === 'all') {
    if (deployed === 0n && collateral === 0n) throw refuse('NOTHING_TO_WITHDRAW');
    const isUnpayable = collateral > 0n && collateralFor(facts, amount) === 0n;
    if (isUnpayable) throw refusalOf({ kind: 'partial_liquidity', available: 0n });
    return;
  }
  if (amount > deployed) {
    const detail = `WithdrawExceedsDeployed: ${deployed} base units are deployed`;
    throw refusalByProgram(detail, 'WithdrawExceedsDeployed');
  }
  if (known === null) return;
  const available = withdrawableOf(known.reserve, collateral, deployed);
  if (amount > available) throw refusalOf({ kind: 'partial_liquidity', available });
}
