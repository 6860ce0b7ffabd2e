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
import type { SessionRequest } from '../../../support/system/lane-fixture.ts';
import type { Target } from '../../target.ts';

/** An owner with money, and a recipient that no other party pays. */
export type Party = {
  readonly target: Target;
  readonly api: Api;
  readonly owner: HttpOwner;
  readonly recipient: string;
  openSession(request?: Partial<SessionRequest>): Promise<HttpSession>;
  /** Waits until all has settled. Returns what chain, rows and log disagree about, or null. */
  judge(): Promise<string | null>;
  /** Returns the recipient's balance in base units. */
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
    recipient,
    openSession: (request) => owner.createSession({ recipients: [recipient], ...request }),
    judge: async () => {
      await atRest(fixture, owner.walletId);
      const { walletId, vaultUsdcAta } = owner;
      const wrong = await findDisagreements(fixture, { walletId, vaultUsdcAta, funds });
      return wrong.length === 0 ? null : wrong.join('; ');
    },
    paid: () => fixture.balance(fixture.program.addresses.usdcAta(recipient)),
  };
}

/** Requests a transfer, or with a URL the payment of a call, which a facilitator may send. */
export const spend = (
  { api, recipient }: Party,
  { apiKey }: HttpSession,
  {
    amount,
    key,
    url,
    feePayer,
  }: {
    readonly amount: bigint;
    readonly key?: string;
    readonly url?: string;
    readonly feePayer?: string;
  },
): Promise<HttpAnswer> =>
  callApi(api, 'POST', url === undefined ? '/v1/spend/transfer' : '/v1/spend/sign-payment', {
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: {
      recipient,
      amount: String(amount),
      ...(url === undefined ? {} : { url }),
      ...(feePayer === undefined ? {} : { facilitator: { fee_payer: feePayer } }),
    },
  });

/** Runs `one` this many times at once. */
export const atOnce = <Value>(
  count: number,
  one: (n: number) => Promise<Value>,
): Promise<Value[]> => Promise.all(Array.from({ length: count }, (_, n) => one(n)));

/** Returns the base units of all accepted spends, whatever their outcome. */
export async function readAccepted({ target, owner }: Party): Promise<bigint> {
  const row = z.object({ accepted: z.bigint() });
  const { accepted } = await target.fixture.db.one(sql.type(row)`
    select coalesce(sum(amount), 0)::bigint as accepted from spend
    where wallet_id = ${owner.walletId}::uuid
  `);
  return accepted;
}

/** Payments, payments under way, refusals by a rule and refusals for lack of time. */
const OF_SPENDS = [200, 202, 402, 403, 409, 503];

/** Describes the first answer with another status; null when there is none. */
export function findOdd(
  answers: readonly HttpAnswer[],
  allowed: readonly number[] = OF_SPENDS,
): string | null {
  const odd = answers.find(({ status }) => !allowed.includes(status));
  return odd === undefined ? null : `answered ${odd.status} ${JSON.stringify(odd.body)}`;
}
