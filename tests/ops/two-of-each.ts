/** Two copies of each process under load, of which one after the other is killed. */
import { setTimeout as delay } from 'node:timers/promises';
import { appProcesses } from '@agent-wallet/local-system/system/app-processes.ts';
import {
  startSystem,
  type StartSystemOptions,
  type System,
} from '@agent-wallet/local-system/system/start-system.ts';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Api, callApi, createHttpOwner, type HttpOwner } from '../support/http/http-owner.ts';
import { atRest, findDisagreements } from '../support/system/agreement.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { withApis } from '../support/system/with-apis.ts';
import { waitUntil } from '../support/wait-until.ts';
import { countLeaders, findLeader, sumOf } from './leaders.ts';

const COPIES = 2;
const FUNDS = 1_000_000_000n;
const SESSIONS = 8;
const AT_ONCE = 16;
const FIRST_AMOUNT = 1_000;
/** Spends that must be paid while a copy is gone. */
const PAID_WITHOUT_COPY = 30;
const RETRY_MS = 200;
const ANSWERED_WITHIN_MS = 120_000;
/** The lease, a renewal and a busy machine. */
const TAKEN_OVER_WITHIN_MS = 60_000;

/** The tasks of which each has one leader. */
const TASKS = {
  'confirm-worker': ['follow', 'finality', 'guard', 'measure_caps'],
  'tx-worker': ['session_keys'],
} as const;

export type TwoOfEach = {
  readonly system: System;
  readonly apis: readonly Api[];
  readonly owner: HttpOwner;
  readonly fixture: LaneFixture;
};

/** Starts a system with two copies of each process, runs `show` on it, and stops it. */
export async function withTwoOfEach(
  options: StartSystemOptions,
  show: (world: TwoOfEach) => Promise<void>,
): Promise<void> {
  const deaths: string[] = [];
  await using system = await startSystem({
    slotTimeMs: 200,
    fsync: false,
    ...options,
    workers: { tx: COPIES, confirm: COPIES },
    processes: (surroundings) => withApis(appProcesses(surroundings), COPIES),
    onDeath: (_name, sentence) => deaths.push(sentence),
  });
  await using fixture = await createLaneFixture(system);
  const owner = await createHttpOwner(system, fixture, FUNDS);
  const apis = ['api', 'api-2'].map((name) => ({
    urls: { api: system.urls.processes[name] ?? system.urls.api },
  }));
  await show({ system, apis, owner, fixture });
  if (deaths.length > 0) throw new Error(deaths.join('\n'));
}

/**
 * Kills one copy of each process under load with SIGKILL, of the workers the one that leads. Throws
 * unless spends are paid while it is gone, another copy takes over what it led, every request gets
 * its final answer, and no spend is lost or made twice.
 */
export async function killOneOfEach(
  world: TwoOfEach,
  log: (line: string) => void = () => undefined,
): Promise<void> {
  const { system, owner, fixture } = world;
  const over = new AbortController();
  const load = runLoad(world, over.signal);
  try {
    // The load ends before only by a failure.
    await Promise.race([load, killInTurn(world, log)]);
  } finally {
    over.abort();
  }
  const sent = await load;
  await atRest(fixture, owner.walletId);
  const disagreements = await findDisagreements(fixture, { ...owner, funds: FUNDS });
  const spends = await countSpends(world);
  if (spends !== sent) disagreementsOf([`${spends} spends for ${sent} requests`]);
  disagreementsOf(disagreements);
  const takeovers = await sumOf(system, 'agent_wallet_leader_takeovers_total');
  if (takeovers < TASKS['confirm-worker'].length) {
    throw new Error(`only ${takeovers} leases were taken over`);
  }
  log(`${sent} requests, ${spends} spends, ${takeovers} takeovers`);
}

async function killInTurn(world: TwoOfEach, log: (line: string) => void): Promise<void> {
  const { system } = world;
  for (const role of ['confirm-worker', 'tx-worker', 'api'] as const) {
    await paidMore(world, PAID_WITHOUT_COPY);
    const tasks = role === 'api' ? [] : TASKS[role];
    const leader = role === 'api' ? 'api' : await findLeader(system, role, tasks);
    await system.kill(leader, 'SIGKILL');
    await paidMore(world, PAID_WITHOUT_COPY);
    await waitUntil(
      `another copy of the ${role} leads`,
      async () => (await countLeaders(system, role, leader)) >= tasks.length,
      { timeoutMs: TAKEN_OVER_WITHIN_MS, intervalMs: 500 },
    );
    await system.restart(leader);
    log(`${leader} was killed: spends went on, and nobody misses what it led`);
  }
}

function disagreementsOf(sentences: readonly string[]): void {
  if (sentences.length > 0) throw new Error(sentences.join('\n'));
}

/** Sends transfers until the signal, and each until its final answer. Returns how many there were. */
async function runLoad(world: TwoOfEach, signal: AbortSignal): Promise<number> {
  const { fixture, owner } = world;
  const recipients = await Promise.all([fixture.createRecipient(), fixture.createRecipient()]);
  const keys: string[] = [];
  for (let n = 0; n < SESSIONS; n += 1) {
    keys.push((await owner.createSession({ recipients })).apiKey);
  }
  let issued = 0;
  const sendOnAndOn = async (): Promise<void> => {
    while (!signal.aborted) {
      const number = issued;
      issued += 1;
      const recipient = recipients[number % recipients.length] ?? '';
      await sendUntilAnswered(world.apis, number, keys[number % keys.length] ?? '', recipient);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendOnAndOn));
  return issued;
}

async function sendUntilAnswered(
  apis: readonly Api[],
  number: number,
  apiKey: string,
  recipient: string,
): Promise<void> {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'idempotency-key': `request-${number}`,
    prefer: 'wait=20',
  };
  const body = { recipient, amount: FIRST_AMOUNT + number };
  const deadline = performance.now() + ANSWERED_WITHIN_MS;
  for (let time = 0; performance.now() < deadline; time += 1) {
    const api = apis[(number + time) % apis.length];
    if (api === undefined) throw new RangeError('there is no api');
    // A copy that was killed: the other one gets the request, under the same key.
    const answer = await callApi(api, 'POST', '/v1/spend/transfer', { headers, body }).catch(
      () => null,
    );
    if (answer?.status === 200) return;
    // 429: on a fast machine the load exceeds the rate limit of a session.
    const mayRepeat = answer === null || [202, 429, 503].includes(answer.status);
    if (!mayRepeat) throw new Error(`request ${number} got ${JSON.stringify(answer)}`);
    await delay(RETRY_MS);
  }
  throw new Error(`request ${number} got no final answer`);
}

const countRow = z.object({ count: z.number() });

const countSpends = ({ fixture, owner }: TwoOfEach): Promise<number> =>
  fixture.db.oneFirst(sql.type(countRow)`
    select count(*)::int as count from spend where wallet_id = ${owner.walletId}::uuid
  `);

/** Waits until this many further spends are paid. */
async function paidMore({ fixture, owner }: TwoOfEach, more: number): Promise<void> {
  const countPaid = (): Promise<number> =>
    fixture.db.oneFirst(sql.type(countRow)`
      select count(*)::int as count from spend
      where wallet_id = ${owner.walletId}::uuid and status in ('confirmed', 'finalized')
    `);
  const before = await countPaid();
  await waitUntil(
    `${more} further spends are paid`,
    async () => (await countPaid()) >= before + more,
    {
      timeoutMs: 60_000,
      intervalMs: 100,
    },
  );
}
