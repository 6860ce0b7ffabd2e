import type { QuoteBody, quoteAnswer } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import { type Service, sumReserved } from '@agent-wallet/spend';
import type { z } from 'zod';
import { type Agent, readPolicy, findSessionById } from '@agent-wallet/wallet';
import type { ChainAccess } from '../chain/chain-access.ts';
import { findService } from '../service/find-service.ts';
import { whatIsAvailable } from '../spend/accept-when-liquid.ts';
import { fitsAtSeconds } from './fits-at.ts';
import { judgeOffChain } from './judge-off-chain.ts';
import { judgeOnChain } from './judge-on-chain.ts';
import type { QuotedAsk, QuoteFacts } from './quote-facts.ts';

/** What a quote asks of the chain. */
export type QuoteChain = Pick<
  ChainAccess,
  'readWallet' | 'readPosition' | 'hasUsdcAccount' | 'yieldReserve'
>;

type Deps = {
  readonly db: Database;
  readonly chain: QuoteChain;
  readonly nowMs: () => number;
};

/**
 * Tells what a spend would meet now, under both layers, without asking for it: nothing is queued,
 * moved or logged. Rates, budgets and what only a service can say are not looked at.
 * Throws RPC_UNAVAILABLE.
 */
export function createQuoteSpend(deps: Deps) {
  return async (agent: Agent, body: QuoteBody): Promise<z.input<typeof quoteAnswer>> => {
    const service = body.kind === 'pay_service' ? await findService(deps.db, body.slug) : null;
    const ask = readAsk(body, service);
    const facts = await readFacts(deps, agent, ask);
    const refusals = [...judgeOffChain(facts, ask), ...judgeOnChain(facts, ask)];
    return {
      allowed: refusals.length === 0,
      fits_at: fitsAtSeconds(facts, ask, refusals),
      refusals: refusals.map(({ status, body: said }) => ({ status, ...said })),
    };
  };
}

function readAsk(body: QuoteBody, service: Service | null): QuotedAsk {
  const { kind, amount } = body;
  switch (kind) {
    case 'transfer':
      return { kind, amount, recipient: body.recipient };
    case 'sign_payment':
      return { kind, amount, recipient: body.recipient, url: body.url };
    case 'pay_service':
      return { kind, amount, recipient: service?.payTo ?? null, slug: body.slug, service };
    case 'yield_deposit':
    case 'yield_withdraw':
      return { kind, amount, recipient: null };
  }
}

async function readFacts(deps: Deps, agent: Agent, ask: QuotedAsk): Promise<QuoteFacts> {
  const { db, chain } = deps;
  const read = ask.kind === 'yield_withdraw' ? chain.readPosition : chain.readWallet;
  const [policy, row, wallet, isPayable] = await Promise.all([
    readPolicy(db, agent.walletId),
    findSessionById(db, agent.sessionId),
    read(agent, [agent.sessionPda]),
    ask.recipient === null ? true : chain.hasUsdcAccount(ask.recipient),
  ]);
  return {
    policy,
    vault: wallet.vault,
    liquid: wallet.liquid,
    session: wallet.sessions[0] ?? null,
    wasLive: row?.liveSlot !== null && row?.liveSlot !== undefined,
    reserved: await sumReserved(db, { ...agent, slot: wallet.slot }),
    isYieldOff: chain.yieldReserve === null,
    available: whatIsAvailable(wallet, ask),
    isPayable,
    nowMs: deps.nowMs(),
  };
}
