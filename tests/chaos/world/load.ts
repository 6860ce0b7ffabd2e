import { setTimeout as delay } from 'node:timers/promises';
import { drawWhole } from '../../support/rpc-proxy/draw.ts';
import {
  type Api,
  callApi,
  createHttpOwner,
  type HttpAnswer,
} from '../../support/http/http-owner.ts';
import type { World } from './world.ts';

const FUNDS = 1_000_000_000n;
const FIRST_AMOUNT = 1_000;
/** How long an agent goes on asking with the same key; when the load ends it gives up. */
const ASK_FOR_MS = 75_000;
const RETRY_MS = [150, 600] as const;
/** One in so many. */
const ASKS_ALL_EVERY = 4;
const WAITS = ['wait=0', 'wait=3', 'wait=12'] as const;

type Purse = {
  readonly walletId: string;
  readonly tokenAccount: string;
  readonly funds: bigint;
};
type Agent = { readonly sessionId: string; readonly apiKey: string };

/** Who spends in a world, and from what. */
export type Cast = {
  /** A disturbance may add wallets of its own, so that their balances are checked as well. */
  readonly purses: Purse[];
  readonly agents: readonly Agent[];
  readonly recipients: readonly string[];
};

/** What an agent was told about one of its asks; null: nothing, in all that time. */
export type Ask = { readonly amount: number; readonly answer: HttpAnswer | null };

type Turn = { readonly number: number; readonly signal: AbortSignal };

export async function createCast(
  world: World,
  size: { readonly wallets: number; readonly sessionsEach: number },
): Promise<Cast> {
  const { system, fixture } = world;
  const recipients = await Promise.all([fixture.createRecipient(), fixture.createRecipient()]);
  const wallets = await Promise.all(
    Array.from({ length: size.wallets }, async () => {
      const owner = await createHttpOwner(system, fixture, FUNDS);
      const sessions = await Promise.all(
        Array.from({ length: size.sessionsEach }, () => owner.createSession({ recipients })),
      );
      return { owner, sessions };
    }),
  );
  return {
    purses: wallets.map(({ owner: { walletId, vaultUsdcAta: tokenAccount } }) => {
      return { walletId, tokenAccount, funds: FUNDS };
    }),
    agents: wallets.flatMap(({ sessions }) => sessions),
    recipients,
  };
}

/** Asks as fast as `atOnce` agents do that wait for each answer, until told to stop. */
export async function runLoad(
  world: World,
  cast: Cast,
  options: { readonly atOnce: number; readonly signal: AbortSignal; readonly atMost?: number },
): Promise<readonly Ask[]> {
  const asks: Ask[] = [];
  const { signal, atOnce, atMost = Number.POSITIVE_INFINITY } = options;
  let issued = 0;
  const askOnAndOn = async (): Promise<void> => {
    while (!signal.aborted && issued < atMost) {
      const number = issued;
      issued += 1;
      asks.push(...(await ask(world, cast, { number, signal })));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, askOnAndOn));
  return asks;
}

/** Every ask has an amount of its own, by which its landings are known. */
async function ask(world: World, cast: Cast, { number, signal }: Turn): Promise<readonly Ask[]> {
  const { seed, apis } = world;
  const pick = <T>(list: readonly T[], label: string, time = 0): T => {
    const one = list[drawWhole([0, list.length - 1], seed, label, number, time)];
    if (one === undefined) throw new RangeError(`nothing to pick: ${label}`);
    return one;
  };
  const agent = pick(cast.agents, 'agent');
  const body = { recipient: pick(cast.recipients, 'recipient'), amount: FIRST_AMOUNT + number };
  const headers = {
    authorization: `Bearer ${agent.apiKey}`,
    'idempotency-key': `ask-${number}`,
    prefer: pick(WAITS, 'wait'),
  };
  const askOn = (apiFor: (time: number) => Api): Promise<Ask> =>
    askUntilAnswered({ body, headers, apiFor }, { seed, number, signal });
  // Some ask all copies of the api at once with the same key, the others a copy after the other.
  const asksAll = apis.length > 1 && drawWhole([1, ASKS_ALL_EVERY], seed, 'all', number) === 1;
  if (asksAll) return Promise.all(apis.map((api) => askOn(() => api)));
  return [await askOn((time) => pick(apis, 'api', time))];
}

type Request = {
  readonly body: { readonly recipient: string; readonly amount: number };
  readonly headers: Readonly<Record<string, string>>;
  readonly apiFor: (time: number) => Api;
};

async function askUntilAnswered(
  { body, headers, apiFor }: Request,
  { seed, number, signal }: Turn & { readonly seed: string },
): Promise<Ask> {
  const { amount } = body;
  const deadline = performance.now() + ASK_FOR_MS;
  for (let time = 1; performance.now() < deadline; time += 1) {
    try {
      const options = { headers, body };
      const answer = await callApi(apiFor(time), 'POST', '/v1/spend/transfer', options);
      if (isAnswer(answer)) return { amount, answer };
    } catch {
      // The api was away or cut the answer off: the same key asks again.
    }
    if (signal.aborted) break;
    await delay(drawWhole(RETRY_MS, seed, 'retry', number, time));
  }
  return { amount, answer: null };
}

/** False for what says "not now": the same ask may be made again. */
function isAnswer({ status, body }: HttpAnswer): boolean {
  if (status === 503) return body['code'] === 'NEVER_LANDED';
  return status !== 429 && status < 500;
}
