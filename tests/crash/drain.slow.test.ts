/** SIGTERM to each process under load: it ends by itself, in time, and loses nothing. */
import { setTimeout as delay } from 'node:timers/promises';
import { Keypair } from '@solana/web3.js';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { atRest, findDisagreements, type Purse } from '../support/system/agreement.ts';
import { callApi, createHttpOwner, type HttpAnswer } from '../support/http/http-owner.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';
import { waitUntil } from '../support/wait-until.ts';

const system = useSystem();
let fixture: LaneFixture;
beforeAll(async () => {
  fixture = await createLaneFixture(system());
});
afterAll(() => fixture[Symbol.asyncDispose]());

const FUNDS = 100_000_000n;
const SESSIONS = 3;
const REQUESTS_PER_SESSION = 10;
const REQUESTS = SESSIONS * REQUESTS_PER_SESSION;
/** How long each request waits for its outcome, and so the api's longest drain. */
const WAIT_SECONDS = 12;
/** For closing connections, on a busy machine. */
const MARGIN_MS = 4_000;
const DEADLINES_MS = {
  api: WAIT_SECONDS * 1_000 + MARGIN_MS,
  // 8 s for the running lanes, then one call to the chain.
  'tx-worker': 8_000 + 4_000 + MARGIN_MS,
  // One pass, with calls to the chain of at most 5 s.
  'confirm-worker': 5_000 + MARGIN_MS,
} as const;

type Load = {
  readonly purse: Purse;
  /** Resolves when each request has its answer; rejects when an answer is cut off. */
  readonly answers: Promise<readonly HttpAnswer[]>;
};

/** Sends thirty requests at once, one in ten to a recipient that the program does not allow. */
async function sendRequests(): Promise<Load> {
  const recipient = await fixture.createRecipient();
  const stranger = Keypair.generate().publicKey.toBase58();
  const owner = await createHttpOwner(system(), fixture, FUNDS);
  const sessions = await Promise.all(
    Array.from({ length: SESSIONS }, () => owner.createSession({ recipients: [recipient] })),
  );
  const answers = sessions.flatMap(({ apiKey }, session) =>
    Array.from({ length: REQUESTS_PER_SESSION }, (_, n) =>
      callApi(system(), 'POST', '/v1/spend/transfer', {
        headers: { authorization: `Bearer ${apiKey}`, prefer: `wait=${WAIT_SECONDS}` },
        body: { recipient: n === 4 ? stranger : recipient, amount: 100 + 10 * session + n },
      }),
    ),
  );
  const { walletId, vaultUsdcAta } = owner;
  return { purse: { walletId, vaultUsdcAta, funds: FUNDS }, answers: Promise.all(answers) };
}

const counts = z.object({ accepted: z.number(), queued: z.number(), inFlight: z.number() });

/** Waits until the counts of the wallet's spends satisfy `isThere`. */
async function spendsAre(
  what: string,
  { walletId }: Purse,
  isThere: (count: z.output<typeof counts>) => boolean,
): Promise<void> {
  const count = (): Promise<z.output<typeof counts>> =>
    fixture.db.one(sql.type(counts)`
      select count(*)::int as accepted, count(*) filter (where status = 'queued')::int as queued,
        count(*) filter (where status = 'in_flight')::int as "inFlight"
      from spend where wallet_id = ${walletId}::uuid
    `);
  await waitUntil(what, async () => isThere(await count()), { timeoutMs: 30_000, intervalMs: 10 });
}

type Ended = { readonly code: number | null; readonly inTime: boolean };

/** Sends SIGTERM and returns how the process ended. Kills a process that is late. */
async function terminate(name: keyof typeof DEADLINES_MS): Promise<Ended> {
  const late = new AbortController();
  const deadline = delay(DEADLINES_MS[name], null, { signal: late.signal });
  const first = await Promise.race([system().kill(name, 'SIGTERM'), deadline]);
  late.abort();
  if (first !== null) return { code: first.code, inTime: true };
  return { code: (await system().kill(name, 'SIGKILL')).code, inTime: false };
}

const isPaid = ({ status, body }: HttpAnswer): boolean =>
  status === 200 && body['status'] === 'confirmed';

/** Paid, accepted with a location, refused by the program, or provably never sent. */
function isRight(answer: HttpAnswer): boolean {
  const { status, body, headers } = answer;
  if (status === 202) return headers.get('location') === `/v1/spend/${String(body['spend_id'])}`;
  if (status === 402) return body['code'] === 'RecipientNotAllowed';
  if (status === 503) return body['code'] === 'EXPIRED_UNSENT';
  return isPaid(answer);
}

async function expectNothingLost({ purse, answers }: Load): Promise<void> {
  const received = await answers;
  expect(received).toHaveLength(REQUESTS);
  expect(received.filter((answer) => !isRight(answer))).toEqual([]);
  await atRest(fixture, purse.walletId);
  expect(await findDisagreements(fixture, purse)).toEqual([]);
  await spendsAre('every spend to be accepted', purse, ({ accepted }) => accepted === REQUESTS);
}

test('the api answers every accepted request before it ends', async () => {
  system().pause('tx-worker');
  const load = await sendRequests();
  await spendsAre('all spends to be accepted', load.purse, ({ accepted }) => accepted === REQUESTS);
  let isAnswered = false;
  const answered = load.answers.finally(() => {
    isAnswered = true;
  });
  const ended = terminate('api');
  await waitUntil('the api to refuse connections', () =>
    fetch(`${system().urls.api}/livez`).then(
      () => false,
      () => true,
    ),
  );
  expect(isAnswered).toBe(false);
  system().resume('tx-worker');
  expect(await ended).toEqual({ code: 0, inTime: true });
  await answered;
  await system().restart('api');
  await expectNothingLost(load);
}, 120_000);

test.each<[keyof typeof DEADLINES_MS, string, Parameters<typeof spendsAre>[2]]>([
  ['tx-worker', 'loses no spend of its lanes', ({ inFlight, queued }) => inFlight + queued > 5],
  ['confirm-worker', 'leaves its verdicts to the next one', ({ inFlight }) => inFlight > 3],
])(
  'a %s that ends under load %s',
  async (name, _what, isUnderLoad) => {
    const load = await sendRequests();
    await spendsAre('some spends to be under way', load.purse, isUnderLoad);
    expect(await terminate(name)).toEqual({ code: 0, inTime: true });
    await system().restart(name);
    await expectNothingLost(load);
  },
  120_000,
);
