/**
 * The off-chain rules of a spend, in the order in which they decide. A request is refused by the
 * first of them; a quote lists every refusal.
 */
import type { PolicyAnswer } from '@agent-wallet/contract';
import { isWithinWindow, type opensAt } from '@agent-wallet/policy';
import { isYield, type SpendKind } from '@agent-wallet/spend';
import { toTimeWindow } from '@agent-wallet/wallet';
import { judgeUrl } from './judge-url.ts';
import type { Refused } from './refuse/refused.ts';

/** What the rules read. */
export type RuleFacts = {
  readonly isYieldOff: boolean;
  readonly policy: PolicyAnswer;
  readonly nowMs: number;
  readonly opensAt: typeof opensAt;
  /** Null for a request: `acceptWhenLiquid` decides about the money under the wallet's lock. */
  readonly money: MoneyFacts | null;
};

/** Amounts in base units. */
type MoneyFacts = {
  readonly liquid: bigint;
  /** Held by open spends. */
  readonly reserved: bigint;
  readonly deployed: bigint | undefined;
  /** What the reserve has for a withdrawal where that is too little; else null. */
  readonly available: bigint | null;
};

type RuledSpend = {
  readonly kind: SpendKind;
  /** Base units. */
  readonly amount: bigint;
  readonly url: string | null;
  /** The catalog entry that the money is for. */
  readonly entry?: { readonly slug: string; readonly isEnabled: boolean };
  /** The price of a service, once it is known. */
  readonly price?: Price;
};

type Price = { readonly quoted: bigint; readonly maxAmount: bigint };

type Rule = (facts: RuleFacts, spend: RuledSpend) => Refused | null;

const yieldIsOn: Rule = ({ isYieldOff }, { kind }) =>
  isYield(kind) && isYieldOff ? { kind: 'yield_disabled' } : null;

const windowIsOpen: Rule = ({ policy, nowMs, ...facts }) => {
  const window = toTimeWindow(policy.time_window);
  if (isWithinWindow(window, nowMs)) return null;
  return { kind: 'outside_time_window', opensAtMs: facts.opensAt(window, nowMs) };
};

/** Only a payment that the agent delivers itself is held against the allowlist. */
const urlIsAllowed: Rule = ({ policy }, { kind, url, amount }) => {
  if (kind !== 'sign_payment') return null;
  const verdict = judgeUrl(policy.url_allowlist, url ?? '', amount);
  return verdict.kind === 'allowed' ? null : verdict;
};

const entryIsEnabled: Rule = (_facts, { entry }) =>
  entry === undefined || entry.isEnabled ? null : { kind: 'not_in_catalog', slug: entry.slug };

const priceIsAllowed: Rule = (_facts, { price }) =>
  price === undefined ? null : refuseOverMax(price);

/** A withdrawal from yield needs no liquid money. */
const balanceIsEnough: Rule = ({ money }, { kind, amount }) => {
  if (money === null || kind === 'yield_withdraw') return null;
  const { liquid, reserved } = money;
  if (amount <= liquid - reserved) return null;
  const deployed = kind === 'yield_deposit' ? money.deployed : undefined;
  return { kind: 'insufficient', amount, liquid, reserved, deployed };
};

const reserveIsLiquid: Rule = ({ money }) =>
  money === null || money.available === null
    ? null
    : { kind: 'partial_liquidity', available: money.available };

const RULES: readonly Rule[] = [
  yieldIsOn,
  windowIsOpen,
  urlIsAllowed,
  entryIsEnabled,
  priceIsAllowed,
  balanceIsEnough,
  reserveIsLiquid,
];

/** The refusal of the first rule that the spend breaks; null when it breaks none. */
export function firstRefusal(facts: RuleFacts, spend: RuledSpend): Refused | null {
  for (const rule of RULES) {
    const refused = rule(facts, spend);
    if (refused !== null) return refused;
  }
  return null;
}

/** The refusals of all rules that the spend breaks, in their order. */
export function everyRefusal(facts: RuleFacts, spend: RuledSpend): readonly Refused[] {
  return RULES.map((rule) => rule(facts, spend)).filter((refused) => refused !== null);
}

/** Refuses a price above what the agent or the operator allows. */
export function refuseOverMax({ quoted, maxAmount }: Price): Refused | null {
  return quoted > maxAmount ? { kind: 'quoted_over_max', quoted, maxAmount } : null;
}
