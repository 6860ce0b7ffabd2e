import { setTimeout as delay } from 'node:timers/promises';
import { drawWhole } from '../../support/rpc-proxy/draw.ts';
import {
  type Api,
  callApi,
  createHttpOwner,
  type HttpAnswer,
  type HttpOwner,
  type HttpSession,
} from '../../support/http/http-owner.ts';
import type { World } from './world.ts';

const FUNDS = 1_000_000_000n;
const FIRST_AMOUNT = 1_000;
/** How long an agent retries under the same key; it stops when the load ends. */
const RETRY_FOR_MS = 75_000;
const RETRY_MS = [150, 600] as const;
/** One request in this many goes to all copies of the API. */
const TO_ALL_EVERY = 4;
const WAIT_SECONDS = [0, 3, 12] as const;

/** Those who spend in a world. */
export type Cast = {
  /** Wallets with their funds. Disturbances add theirs, so that their balances are checked too. */
  readonly purses: {
    readonly walletId: string;
    readonly tokenAccount: string;
    readonly funds: bigint;
  }[];
  readonly agents: readonly HttpSession[];
  readonly recipients: readonly string[];
};

/** Those who send a load. */
type Payers = {
  readonly agents: readonly Pick<HttpSession, 'apiKey'>[];
  readonly recipients: readonly string[];
};

/** A request of an agent and its final answer; null when there was none in all that time. */
export type SentRequest = {
  readonly amount: number;
  readonly answer: HttpAnswer | null;
  /** The longest of its calls, without the time that it asked to wait. */
  readonly overWaitMs: number;
};

type Turn = { readonly number: number; readonly signal: AbortSignal };

export async function createCast(
  world: World,
  size: { readonly wallets: number; readonly sessionsEach: number },
): Promise<Cast> {
  const { fixture } = world;
  const recipients = await Promise.all([fixture.createRecipient(), fixture.createRecipient()]);
  const purses: Cast['purses'] = [];
  const sessions = await Promise.all(
    Array.from({ length: size.wallets }, async () => {
      const owner = await addOwner(world, { purses }, FUNDS);
      return Promise.all(
        Array.from({ length: size.sessionsEach }, () => owner.createSession({ recipients })),
      );
    }),
  );
  return { purses, agents: sessions.flat(), recipients };
}

/** Adds a funded wallet to the cast. */
export async function addOwner(
  world: World,
  { purses }: Pick<Cast, 'purses'>,
  funds: bigint,
): Promise<HttpOwner> {
  const owner = await createHttpOwner(world.system, world.fixture, funds);
  const { walletId, vaultUsdcAta: tokenAccount } = owner;
  purses.push({ walletId, tokenAccount, funds });
  return owner;
}

/** Requests one transfer to the cast's first recipient. */
export const transfer = (
  { system }: World,
  cast: Cast,
  { apiKey }: HttpSession,
  { amount, prefer }: { readonly amount: number; readonly prefer: string },
): Promise<HttpAnswer> =>
  callApi(system, 'POST', '/v1/spend/transfer', {
    headers: { authorization: `Bearer ${apiKey}`, prefer },
    body: { recipient: cast.recipients[0], amount },
  });

/** Sends requests from `atOnce` agents, each of which waits for its answer, until aborted. */
export async function runLoad(
  world: Pick<World, 'seed' | 'apis'>,
  cast: Payers,
  { atOnce, signal }: { readonly atOnce: number; readonly signal: AbortSignal },
): Promise<readonly SentRequest[]> {
  const sent: SentRequest[] = [];
  let issued = 0;
  const sendOnAndOn = async (): Promise<void> => {
    while (!signal.aborted) {
      const number = issued;
      issued += 1;
      sent.push(...(await sendOne(world, cast, { number, signal })));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sendOnAndOn));
  return sent;
}

/** Every request has its own amount, which identifies its landings. */
async function sendOne(
  { seed, apis }: Pick<World, 'seed' | 'apis'>,
  cast: Payers,
  { number, signal }: Turn,
): Promise<readonly SentRequest[]> {
  const pick = <T>(list: readonly T[], label: string, time = 0): T => {
    const one = list[drawWhole([0, list.length - 1], seed, label, number, time)];
    if (one === undefined) throw new RangeError(`nothing to pick: ${label}`);
    return one;
  };
  const agent = pick(cast.agents, 'agent');
  const body = { recipient: pick(cast.recipients, 'recipient'), amount: FIRST_AMOUNT + number };
  const waitSeconds = pick(WAIT_SECONDS, 'wait');
  const headers = {
    authorization: `Bearer ${agent.apiKey}`,
    'idempotency-key': `request-${number}`,
    prefer: `wait=${waitSeconds}`,
  };
  const waitMs = waitSeconds * 1_000;
  const sendTo = (apiFor: (time: number) => Api): Promise<SentRequest> =>
    sendUntilAnswered({ body, headers, waitMs, apiFor }, { seed, number, signal });
  // Some requests go to all copies of the API at once, others to one copy after the other.
  const isToAll = apis.length > 1 && drawWhole([1, TO_ALL_EVERY], seed, 'all', number) === 1;
  if (isToAll) return Promise.all(apis.map((api) => sendTo(() => api)));
  return [await sendTo((time) => pick(apis, 'api', time))];
}

type Request = {
  readonly body: { readonly recipient: string; readonly amount: number };
  readonly headers: Readonly<Record<string, string>>;
  readonly waitMs: number;
  readonly apiFor: (time: number) => Api;
};

async function sendUntilAnswered(
  { body, headers, waitMs, apiFor }: Request,
  { seed, number, signal }: Turn & { readonly seed: string },
): Promise<SentRequest> {
  const { amount } = body;
  const deadline = performance.now() + RETRY_FOR_MS;
  let overWaitMs = 0;
  for (let time = 1; performance.now() < deadline; time += 1) {
    const sentMs = performance.now();
    const answer = await callApi(apiFor(time), 'POST', '/v1/spend/transfer', {
      headers,
      body,
      // The API was down or broke off its answer: retry under the same key.
    }).catch(() => null);
    overWaitMs = Math.max(overWaitMs, performance.now() - sentMs - waitMs);
    if (answer !== null && isFinal(answer)) return { amount, answer, overWaitMs };
    if (signal.aborted) break;
    await delay(drawWhole(RETRY_MS, seed, 'retry', number, time));
  }
  return { amount, answer: null, overWaitMs };
}

/** False for answers after which the same request may be sent again. */
function isFinal({ status, body }: HttpAnswer): boolean {
  if (status === 503) return body['code'] === 'NEVER_LANDED';
  return status !== 429 && status < 500;
}
