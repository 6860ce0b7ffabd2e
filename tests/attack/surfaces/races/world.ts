import { sql } from 'slonik';
import { z } from 'zod';
import { atRest, findDisagreements } from '../../../support/system/agreement.ts';
import {
  type Api,
  callApi,
  createHttpOwner,
  type HttpAnswer,
  type HttpOwner,
  type HttpSession,
} from '../../../support/http/http-owner.ts';
import type { SessionWish } from '../../../support/system/lane-fixture.ts';
import type { Target } from '../../target.ts';

/** An owner with money, whose one recipient nobody else pays. */
export type Party = {
  readonly target: Target;
  readonly api: Api;
  readonly owner: HttpOwner;
  readonly funds: bigint;
  readonly recipient: string;
  openSession(wish?: Partial<SessionWish>): Promise<HttpSession>;
  /** What chain, rows and log do not agree about, once all has settled; null when they do. */
  judge(): Promise<string | null>;
  /** Base units that the recipient has. */
  paid(): Promise<bigint>;
};

export async function createParty(target: Target, funds: bigint): Promise<Party> {
  const { system, fixture } = target;
  const [owner, recipient] = await Promise.all([
    createHttpOwner(system, fixture, funds),
    fixture.createRecipient(),
  ]);
  return {
    target,
    api: system,
    owner,
    funds,
    recipient,
    openSession: (wish) => owner.createSession({ recipients: [recipient], ...wish }),
    judge: async () => {
      await atRest(fixture, owner.walletId);
      const { walletId, vaultUsdcAta } = owner;
      const wrong = await findDisagreements(fixture, { walletId, vaultUsdcAta, funds });
      return wrong.length === 0 ? null : wrong.join('; ');
    },
    paid: () => fixture.balance(fixture.program.addresses.usdcAta(recipient)),
  };
}

export type Ask = {
  readonly amount: bigint;
  readonly key?: string;
  readonly url?: string;
};

/** A transfer, or the payment of a call where there is a URL. */
export const ask = (
  { api, recipient }: Party,
  { apiKey }: HttpSession,
  { amount, key, url }: Ask,
): Promise<HttpAnswer> =>
  callApi(api, 'POST', url === undefined ? '/v1/spend/transfer' : '/v1/spend/sign-payment', {
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: { recipient, amount: String(amount), ...(url === undefined ? {} : { url }) },
  });

/** As many at the same time. */
export const atOnce = <Value>(
  count: number,
  one: (n: number) => Promise<Value>,
): Promise<Value[]> => Promise.all(Array.from({ length: count }, (_, n) => one(n)));

/** Base units of spends that were accepted at all, whatever became of them. */
export async function readAccepted({ target, owner }: Party): Promise<bigint> {
  const row = z.object({ accepted: z.bigint() });
  const { accepted } = await target.fixture.db.one(sql.type(row)`
    select coalesce(sum(amount), 0)::bigint as accepted from spend
    where wallet_id = ${owner.walletId}::uuid
  `);
  return accepted;
}

/** Answers that are neither a payment, nor one to come, nor a refusal by a rule or for want of time. */
export function findOdd(answers: readonly HttpAnswer[]): string | null {
  const odd = answers.find(({ status }) => ![200, 202, 402, 403, 409, 503].includes(status));
  return odd === undefined ? null : `answered ${odd.status} ${JSON.stringify(odd.body)}`;
}
