import type { TransferReply } from '../cast/agent.ts';
import { inUsdc, USDC } from '../amounts.ts';
import { type Cast, type Grantee, readHoldings } from '../cast/cast.ts';
import { type Agents, CROWD_SIZE, TIGHT_DAILY_CAP } from './sessions.ts';
import { expectMoved } from './spending.ts';
import { type Ask, totalOf } from '../cast/spend-ledger.ts';
import type { Stage } from '../stage.ts';

const PER_AGENT = 10;
/** Ten equal ones of this, of which the tight cap lets seven through. */
const TIGHT_AMOUNT = USDC / 10n;
const FITTING = Number(TIGHT_DAILY_CAP / TIGHT_AMOUNT);

type Told = { readonly grantee: Grantee; readonly ask: Ask; readonly reply: TransferReply };

/** All agents of the crowd ask for all their transfers at the same moment. */
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
    step.asked(`${PER_AGENT} transfers of each agent; the last one's cap has room for ${FITTING}`);
    const told = await Promise.all(
      crowd.flatMap((grantee, i) =>
        asksOf(cast, i).map(async (ask): Promise<Told> => {
          const reply = await grantee.agent.transfer(ask);
          answered += 1;
          step.progress(`${answered} answered`);
          return { grantee, ask, reply };
        }),
      ),
    );
    step.answered(describeAnswers(told));
    step.expect('answers that are none of 200, 202, the right refusal', [], wrongOnes(told, crowd));
    await followPending(told);

    const allowed = ledger.allowed().filter(({ spendId }) => !allowedBefore.has(spendId));
    const denied = ledger.denied().slice(deniedBefore);
    step.expect('spends that are settled', told.length, allowed.length + denied.length);
    const overCap = denied.filter(({ reason }) => reason === 'DailyCapExceeded').length;
    const unsent = denied.length - overCap;
    // Nothing else can keep a transfer from landing; without a 503 the numbers are exact.
    if (unsent === 0) step.expect('refused for the daily cap', PER_AGENT - FITTING, overCap);
    step.answered(`settled: ${allowed.length} confirmed, ${denied.length} refused`);
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

/** Amounts that are all different, so that no two spends can be mistaken for each other. */
function asksOf({ bakery, printer }: Cast, agent: number): readonly Ask[] {
  return Array.from({ length: PER_AGENT }, (_, n) => ({
    recipient: n % 2 === 0 ? bakery : printer,
    amount: agent === CROWD_SIZE - 1 ? TIGHT_AMOUNT : 10_000n + BigInt(agent * PER_AGENT + n),
  }));
}

/**
 * Right are 200, 202 with a place to look, the cap for the agent that has a tight one, and the 503
 * of a spend that provably was never sent.
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
    told.map(async ({ grantee, ask, reply }) => {
      if (reply.kind === 'pending') await grantee.agent.follow(ask, reply.location);
    }),
  );
}

function describeAnswers(told: readonly Told[]): string {
  const kinds = told.map(({ reply }) =>
    reply.kind === 'refused' ? `${reply.status} ${reply.refusal.code}` : String(reply.status),
  );
  const counts = [...new Set(kinds)].map(
    (kind) => `${kinds.filter((one) => one === kind).length} × ${kind}`,
  );
  return counts.join(', ');
}
