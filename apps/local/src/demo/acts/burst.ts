import type { TransferReply } from '../cast/agent.ts';
import { inUsdc, USDC } from '../amounts.ts';
import { type Cast, type Grantee, readHoldings } from '../cast/cast.ts';
import { type Agents, CROWD_SIZE, TIGHT_DAILY_CAP } from './sessions.ts';
import { expectMoved } from './spending.ts';
import { type TransferRequest, totalOf } from '../cast/spend-ledger.ts';
import type { Stage } from '../stage.ts';

const PER_AGENT = 10;
/** The last agent sends ten of these; its tight cap allows seven. */
const TIGHT_AMOUNT = USDC / 10n;
const FITTING = Number(TIGHT_DAILY_CAP / TIGHT_AMOUNT);

type Told = {
  readonly grantee: Grantee;
  readonly request: TransferRequest;
  readonly reply: TransferReply;
};

/** All agents of the crowd send all their transfers at the same moment. */
export async function spendAllAtOnce(stage: Stage, cast: Cast, agents: Agents): Promise<void> {
  const { reporter, ledger } = stage;
  const { crowd } = agents;
  reporter.chapter('Many at once');
  const title = `${CROWD_SIZE * PER_AGENT} concurrent transfers over ${CROWD_SIZE} sessions`;
  await reporter.step(title, async (step) => {
    const before = await readHoldings(stage, cast);
    const allowedBefore = new Set(ledger.allowed().map(({ spendId }) => spendId));
    const deniedBefore = ledger.denied().length;
    let answered = 0;
    step.request(`${PER_AGENT} transfers from each agent; the last agent's cap allows ${FITTING}`);
    const told = await Promise.all(
      crowd.flatMap((grantee, i) =>
        requestsOf(cast, i).map(async (request): Promise<Told> => {
          const reply = await grantee.agent.transfer(request);
          answered += 1;
          step.progress(`${answered} replies`);
          return { grantee, request, reply };
        }),
      ),
    );
    step.reply(describeReplies(told));
    step.expect('replies other than 200, 202 and the expected refusal', [], wrongOnes(told, crowd));
    await followPending(told);

    const allowed = ledger.allowed().filter(({ spendId }) => !allowedBefore.has(spendId));
    const denied = ledger.denied().slice(deniedBefore);
    step.expect('spends that are settled', told.length, allowed.length + denied.length);
    const overCap = denied.filter(({ reason }) => reason === 'DailyCapExceeded').length;
    const unsent = denied.length - overCap;
    // No other refusal is possible here, so without a 503 the numbers are exact.
    if (unsent === 0) step.expect('refused for the daily cap', PER_AGENT - FITTING, overCap);
    step.reply(`settled: ${allowed.length} confirmed, ${denied.length} refused`);
    const to = (recipient: string): bigint =>
      totalOf(allowed.filter((spend) => spend.recipient === recipient));
    const received = { bakery: to(cast.bakery), printer: to(cast.printer) };
    await expectMoved(stage, cast, step, before, received);
    const landed = await stage.chain.countLanded(allowed.map(({ txSignature }) => txSignature));
    step.expect('signatures that landed', allowed.length, landed);
    const different = new Set(allowed.map(({ txSignature }) => txSignature)).size;
    step.expect('different signatures', allowed.length, different);
    step.chain(`${landed} signatures landed, ${inUsdc(totalOf(allowed))} in all`);
  });
}

/** Amounts differ, so that no two spends can be confused. */
function requestsOf({ bakery, printer }: Cast, agent: number): readonly TransferRequest[] {
  return Array.from({ length: PER_AGENT }, (_, n) => ({
    recipient: n % 2 === 0 ? bakery : printer,
    amount: agent === CROWD_SIZE - 1 ? TIGHT_AMOUNT : 10_000n + BigInt(agent * PER_AGENT + n),
  }));
}

/**
 * Expected are 200, 202 with its Location, the cap refusal for the agent with the tight cap, and
 * the 503 of a spend that provably was never sent.
 */
function wrongOnes(told: readonly Told[], crowd: readonly Grantee[]): readonly string[] {
  return told.flatMap(({ grantee, reply }) => {
    if (reply.kind === 'confirmed') return [];
    if (reply.kind === 'pending') {
      return reply.location === `/v1/spend/${reply.spendId}` ? [] : ['202 without its Location'];
    }
    const { code, error } = reply.refusal;
    const isOverCap = reply.status === 402 && code === 'DailyCapExceeded';
    if (isOverCap && grantee === crowd.at(-1)) return [];
    const isUnsent = reply.status === 503 && code === 'EXPIRED_UNSENT';
    return isUnsent ? [] : [`${reply.status} ${error} (${code})`];
  });
}

async function followPending(told: readonly Told[]): Promise<void> {
  await Promise.all(
    told.map(async ({ grantee, request, reply }) => {
      if (reply.kind === 'pending') await grantee.agent.follow(request, reply.location);
    }),
  );
}

function describeReplies(told: readonly Told[]): string {
  const kinds = told.map(({ reply }) =>
    reply.kind === 'refused' ? `${reply.status} ${reply.refusal.code}` : String(reply.status),
  );
  const counts = [...new Set(kinds)].map(
    (kind) => `${kinds.filter((one) => one === kind).length} × ${kind}`,
  );
  return counts.join(', ');
}
