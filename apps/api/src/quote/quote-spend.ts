import type { QuoteBody, quoteAnswer } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import { opensAt } from '@agent-wallet/policy';
import { type Service, sumReserved } from '@agent-wallet/spend';
import type { z } from 'zod';
import { type Agent, readPolicy, findSessionById } from '@agent-wallet/wallet';
import type { HttpRefusal } from '../http/http-refusal.ts';
import type { ChainAccess } from '../chain/chain-access.ts';
import { findService } from '../service/find-service.ts';
import { whatIsAvailable } from '../spend/accept/accept-when-liquid.ts';
import { refusalOf } from '../spend/refuse/refusals.ts';
import { everyRefusal } from '../spend/rules.ts';
import { fitsAtSeconds } from './fits-at.ts';
import { judgeOnChain } from './judge-on-chain.ts';
import type { QuotedSpend, QuoteFacts } from './quote-facts.ts';

/** The reads of the chain that a quote needs. */
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
 * Evaluates a spend under both layers as of now; nothing is queued, moved or logged. Rate limits,
 * budgets and a service's own price are left out. Throws RPC_UNAVAILABLE.
 */
export function createQuoteSpend(deps: Deps) {
  return async (agent: Agent, body: QuoteBody): Promise<z.input<typeof quoteAnswer>> => {
    const service = body.kind === 'pay_service' ? await findService(deps.db, body.slug) : null;
    const spend = toQuotedSpend(body, service);
    const facts = await readFacts(deps, agent, spend);
    const refusals = [...judgeOffChain(facts, spend), ...judgeOnChain(facts, spend)];
    return {
      allowed: refusals.length === 0,
      fits_at: fitsAtSeconds(facts, spend, refusals),
      refusals: refusals.map(({ status, body: said }) => ({ status, ...said })),
    };
  };
}

/** The refusals of the api's own rules, in their order. */
function judgeOffChain(facts: QuoteFacts, spend: QuotedSpend): readonly HttpRefusal[] {
  const { isYieldOff, policy, nowMs, liquid, available } = facts;
  const deployed = facts.vault?.deployedAmount;
  const money = { liquid, reserved: facts.reserved.wallet, deployed, available };
  return everyRefusal({ isYieldOff, policy, nowMs, opensAt, money }, toRuled(spend)).map(refusalOf);
}

function toRuled(spend: QuotedSpend): Parameters<typeof everyRefusal>[1] {
  const { kind, amount } = spend;
  switch (spend.kind) {
    case 'sign_payment':
      return { kind, amount, url: spend.url };
    case 'pay_service': {
      const { slug, service } = spend;
      const entry = { slug, isEnabled: service !== null };
      if (service === null) return { kind, amount, url: null, entry };
      return {
        kind,
        amount,
        url: null,
        entry,
        price: { quoted: amount, maxAmount: service.maxPrice },
      };
    }
    default:
      return { kind, amount, url: null };
  }
}

function toQuotedSpend(body: QuoteBody, service: Service | null): QuotedSpend {
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

async function readFacts(deps: Deps, agent: Agent, spend: QuotedSpend): Promise<QuoteFacts> {
  const { db, chain } = deps;
  const read = spend.kind === 'yield_withdraw' ? chain.readPosition : chain.readWallet;
  const [policy, row, wallet, isPayable] = await Promise.all([
    readPolicy(db, agent.walletId),
    findSessionById(db, agent.sessionId),
    read(agent, [agent.sessionPda]),
    spend.recipient === null ? true : chain.hasUsdcAccount(spend.recipient),
  ]);
  return {
    policy,
    vault: wallet.vault,
    liquid: wallet.liquid,
    session: wallet.sessions[0] ?? null,
    wasLive: row?.liveSlot !== null && row?.liveSlot !== undefined,
    reserved: await sumReserved(db, { ...agent, slot: wallet.slot }),
    isYieldOff: chain.yieldReserve === null,
    available: whatIsAvailable(wallet, spend),
    isPayable,
    nowMs: deps.nowMs(),
  };
}
