import {
  createWalletAnswer,
  createWalletBody,
  depositAddressAnswer,
  toAmountOut,
  walletAnswer,
} from '@agent-wallet/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { refuse, REFUSALS } from '../../http/http-refusal.ts';
import { readPolicy, upsertPendingWallet } from '@agent-wallet/wallet';
import { isActive, requireWallet } from '../../wallet/wallet-activity.ts';
import { reserveToPrepare } from '../../chain/yield-reserve.ts';
import { DEADLINE_NOTE, type OwnerDeps } from './owner-deps.ts';

/** The owner's vault: its creation, its state, and where to send USDC. */
export function walletRoutes(deps: OwnerDeps): FastifyPluginAsyncZod {
  const { db, owners, chain } = deps;
  return async (app) => {
    app.post(
      '/v1/wallet',
      {
        config: {
          doc: {
            tag: 'Wallet',
            caller: 'owner',
            summary: 'Create the wallet',
            description: `One per owner. Until its vault is on chain, and after the owner has closed it, a repeated request returns the same wallet with a fresh transaction. ${DEADLINE_NOTE}`,
            errors: ['WALLET_ALREADY_EXISTS', 'RPC_UNAVAILABLE'],
          },
        },
        schema: { body: createWalletBody, response: { 200: createWalletAnswer, ...REFUSALS } },
      },
      async (request) => {
        const { owner } = owners.ownerOf(request);
        const { max_deployed_fraction_bp: maxDeployedFractionBp } = request.body;
        const { vaultPda, vaultUsdcAta } = chain.addressesOf(owner);
        // The chain first: while it is unavailable nothing is recorded.
        const facts = await chain.readWallet({ vaultPda, vaultUsdcAta }, []);
        const reserve = reserveToPrepare(chain, maxDeployedFractionBp);
        const txBase64 = await chain.transactions.initVault(owner, maxDeployedFractionBp, reserve);
        const wallet = await upsertPendingWallet(db, {
          owner,
          vaultPda,
          vaultUsdcAta,
          maxDeployedFractionBp,
        });
        if (await isActive(db, wallet, facts)) throw refuse('WALLET_ALREADY_EXISTS');
        return { wallet_id: wallet.walletId, txBase64, vaultPda, vaultUsdcAta };
      },
    );

    app.get(
      '/v1/wallet',
      {
        config: {
          doc: {
            tag: 'Wallet',
            caller: 'owner',
            summary: 'Read the wallet',
            errors: ['WALLET_NOT_FOUND', 'RPC_UNAVAILABLE'],
          },
        },
        schema: { response: { 200: walletAnswer, ...REFUSALS } },
      },
      async (request) => {
        const wallet = await requireWallet(db, owners.ownerOf(request).owner);
        const [facts, { url_allowlist, time_window }] = await Promise.all([
          chain.readWallet(wallet, []),
          readPolicy(db, wallet.walletId),
        ]);
        const hasVault = await isActive(db, wallet, facts);
        const { vault } = facts;
        return {
          wallet_id: wallet.walletId,
          owner: wallet.owner,
          vaultPda: wallet.vaultPda,
          vaultUsdcAta: wallet.vaultUsdcAta,
          status: hasVault ? ('active' as const) : ('pending' as const),
          max_deployed_fraction_bp: vault?.maxDeployedFractionBp ?? wallet.maxDeployedFractionBp,
          deployed_amount: toAmountOut(vault?.deployedAmount ?? 0n),
          liquid: toAmountOut(facts.liquid),
          paused: vault?.paused ?? false,
          policy: { url_allowlist, time_window },
          created_at: wallet.createdAt.toISOString(),
        };
      },
    );

    app.get(
      '/v1/fund/deposit-address',
      {
        config: {
          doc: {
            tag: 'Wallet',
            caller: 'owner',
            summary: 'Read the deposit address',
            description: 'The account must exist before USDC can be sent to it.',
            errors: ['WALLET_NOT_FOUND'],
          },
        },
        schema: { response: { 200: depositAddressAnswer, ...REFUSALS } },
      },
      async (request) => {
        const wallet = await requireWallet(db, owners.ownerOf(request).owner);
        return { address: wallet.vaultUsdcAta, mint: chain.usdcMint, cluster: deps.cluster };
      },
    );
  };
}
