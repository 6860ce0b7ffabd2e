import { PublicKey } from '@solana/web3.js';
import { sql } from 'slonik';
import { z } from 'zod';
import {
  createFacilitatorKey,
  type FacilitatorKey,
} from '../../../support/chain/facilitator-key.ts';
import { callApi, type HttpAnswer, type HttpSession } from '../../../support/http/http-owner.ts';
import type { Part } from '../../parts.ts';
import type { Target } from '../../target.ts';
import { atOnce, createParty, findOdd, type Party, spend } from './world.ts';

const AMOUNT = 1_000n;
const OFFERS = 24;
const MOST_OPEN = 16;
const SOL = 1_000_000_000;
const SHOP = 'https://shop.example/goods';

/** Transactions that the agent takes out for facilitators of services outside the catalog. */
export const handingOut: Part<Target> = {
  shows: ['hand-out-any-number', 'offers-are-one-request', 'our-fee-payers-pay-for-others'],
  attack: async (cases, target) => {
    await Promise.all([
      cases.try(`${OFFERS} transactions at once`, () => tryMany(target)),
      cases.try('one key for two offers', () => tryOtherOffer(target)),
      cases.try('a fee payer that takes part', () => tryFeePayers(target)),
    ]);
  },
};

async function tryMany(target: Target): Promise<string | null> {
  const { party, session, facilitator } = await openShopper(target);
  const take = (n: number) => takeOut(party, session, facilitator.address, `k${n}`);
  const answers = await atOnce(OFFERS, take);
  const taken = answers.flatMap((answer) => transactionIn(answer) ?? []);
  if (taken.length > MOST_OPEN) return `${taken.length} transactions are out`;
  if (new Set(taken).size < taken.length) return 'two spends have one transaction';
  await Promise.all(taken.map((wire) => facilitator.settle(Buffer.from(wire, 'base64'))));
  const disagreement = await party.judge();
  const paid = await party.paid();
  if (paid !== AMOUNT * BigInt(taken.length)) return `${paid} base units were paid`;
  const again = await atOnce(taken.length, take);
  const wires = again.filter((answer) => transactionIn(answer) !== null);
  if (wires.some((answer) => taken.includes(transactionIn(answer) ?? ''))) {
    return 'a transaction that has landed was returned again';
  }
  const odd = findOdd(answers, [202, 429]);
  return disagreement ?? odd ?? (taken.length === 0 ? 'nothing was paid at all' : null);
}

async function tryOtherOffer(target: Target): Promise<string | null> {
  const { party, session, facilitator } = await openShopper(target);
  const other = await openFacilitator(target);
  const answers = [
    await takeOut(party, session, facilitator.address, 'k'),
    await takeOut(party, session, other.address, 'k'),
  ];
  if (transactionIn(answers[0]) === null) return 'nothing was handed out at all';
  return answers[1]?.status === 409 ? null : `the other offer got ${answers[1]?.status}`;
}

async function tryFeePayers(target: Target): Promise<string | null> {
  const { party, session } = await openShopper(target);
  const { owner, recipient } = party;
  await spend(party, session, { amount: AMOUNT });
  const ofOurs = await target.fixture.db.oneFirst(sql.type(z.object({ feePayer: z.string() }))`
    select attempt.fee_payer as "feePayer" from attempt
    where wallet_id = ${owner.walletId}::uuid limit 1
  `);
  const payee = target.fixture.program.addresses.usdcAta(recipient);
  const parts = [ofOurs, owner.vault, owner.vaultUsdcAta, session.sessionPda, payee];
  const answers = await Promise.all(
    parts.map((feePayer, n) => takeOut(party, session, feePayer, `k${n}`)),
  );
  const taken = parts.filter((_, place) => transactionIn(answers[place]) !== null);
  const disagreement = await party.judge();
  if (taken.length > 0) return `transactions with the fee payers ${taken.join(', ')} are out`;
  return disagreement ?? findOdd(answers, [502]);
}

type Shopper = {
  readonly party: Party;
  readonly session: HttpSession;
  readonly facilitator: FacilitatorKey;
};

async function openShopper(target: Target): Promise<Shopper> {
  const party = await createParty(target, 1_000n * AMOUNT);
  const session = await party.openSession();
  await callApi(party.api, 'PUT', '/v1/wallet/policy', {
    headers: { cookie: party.owner.cookie },
    body: { url_allowlist: [{ pattern: SHOP, max_per_call: String(AMOUNT) }], time_window: null },
  });
  return { party, session, facilitator: await openFacilitator(target) };
}

async function openFacilitator({ system, fixture }: Target): Promise<FacilitatorKey> {
  const facilitator = createFacilitatorKey(fixture);
  await system.faucet.sol(new PublicKey(facilitator.address), SOL);
  return facilitator;
}

const takeOut = (party: Party, session: HttpSession, feePayer: string, key: string) =>
  spend(party, session, { amount: AMOUNT, url: SHOP, feePayer, key });

function transactionIn(answer: HttpAnswer | undefined): string | null {
  const transaction = answer?.body['transaction'];
  return typeof transaction === 'string' ? transaction : null;
}
