/** SIGTERM to each process while it works: it ends by itself, in time, and nothing is lost. */
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
const ASKS_PER_SESSION = 10;
const ASKS = SESSIONS * ASKS_PER_SESSION;
/** How long each ask waits for its outcome; what bounds the end of the api. */
const WAIT_SECONDS = 12;
/** For closing connections, on a busy machine. */
const MARGIN_MS = 4_000;
const DEADLINES_MS = {
  api: WAIT_SECONDS * 1_000 + MARGIN_MS,
  // 8 s for the lanes that run, then the call to the chain that is under way.
  'tx-worker': 8_000 + 4_000 + MARGIN_MS,
  // One pass, with calls to the chain of 5 s at most.
  'confirm-worker': 5_000 + MARGIN_MS,
} as const;

type Load = {
  readonly purse: Purse;
  /** Settles when each ask has its answer; an answer that is cut off rejects. */
  readonly answers: Promise<readonly HttpAnswer[]>;
};

/** Thirty asks at once; one in ten goes to a recipient that the program does not allow. */
async function ask(): Promise<Load> {
  const recipient = await fixture.createRecipient();
  const stranger = Keypair.generate().publicKey.toBase58();
  const owner = await createHttpOwner(system(), fixture, FUNDS);
  const sessions = await Promise.all(
    Array.from({ length: SESSIONS }, () => owner.createSession({ recipients: [recipient] })),
  );
  const answers = sessions.flatMap(({ apiKey }, session) =>
    Array.from({ length: ASKS_PER_SESSION }, (_, n) =>
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

/** Waits until the wallet's spends are as far as `isThere` says. */
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

/** SIGTERM, and how the process ended; one that does not end in time is killed. */
async function terminate(name: keyof typeof DEADLINES_MS): Promise<Ended> {
  const ending = system().kill(name, 'SIGTERM');
  const late = new AbortController();
  const first = await Promise.race([
    ending,
    delay(DEADLINES_MS[name], null, { signal: late.signal }),
  ]);
  late.abort();
  if (first !== null) return { code: first.code, inTime: true };
  return { code: (await system().kill(name, 'SIGKILL')).code, inTime: false };
}

const isPaid = ({ status, body }: HttpAnswer): boolean =>
  status === 200 && body['status'] === 'confirmed';

/** Paid, a place to look, refused by the program, or provably never sent. */
function isRight(answer: HttpAnswer): boolean {
  const { status, body, headers } = answer;
  if (status === 202) return headers.get('location') === `/v1/spend/${String(body['spend_id'])}`;
  if (status === 402) return body['code'] === 'RecipientNotAllowed';
  if (status === 503) return body['code'] === 'EXPIRED_UNSENT';
  return isPaid(answer);
}

async function expectNothingLost({ purse, answers }: Load): Promise<void> {
  const told = await answers;
  expect(told).toHaveLength(ASKS);
  expect(told.filter((answer) => !isRight(answer))).toEqual([]);
  await atRest(fixture, purse.walletId);
  expect(await findDisagreements(fixture, purse)).toEqual([]);
  await spendsAre('every accepted spend', purse, ({ accepted }) => accepted === ASKS);
}

test('an api that is told to stop answers all that it accepted, and then ends', async () => {
  system().pause('tx-worker');
  const load = await ask();
  await spendsAre('all are accepted', load.purse, ({ accepted }) => accepted === ASKS);
  let isAnswered = false;
  const answered = load.answers.finally(() => {
    isAnswered = true;
  });
  const ended = terminate('api');
  await waitUntil('the api takes no more', () =>
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

test('a tx-worker that is told to stop in the middle of its lanes loses none of their spends', async () => {
  const load = await ask();
  await spendsAre('some are sent', load.purse, ({ inFlight, queued }) => inFlight + queued > 5);
  expect(await terminate('tx-worker')).toEqual({ code: 0, inTime: true });
  await system().restart('tx-worker');
  await expectNothingLost(load);
}, 120_000);

test('a confirm-worker that is told to stop leaves its verdicts to the next', async () => {
  const load = await ask();
  await spendsAre('some are in flight', load.purse, ({ inFlight }) => inFlight > 3);
  expect(await terminate('confirm-worker')).toEqual({ code: 0, inTime: true });
  await system().restart('confirm-worker');
  await expectNothingLost(load);
}, 120_000);
