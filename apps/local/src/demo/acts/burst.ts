import type { Payment, Told } from '../cast/agent.ts';
import { inUsdc, USDC } from '../amounts.ts';
import { type Cast, type Grantee, readHoldings } from '../cast/cast.ts';
import { type Agents, CROWD_SIZE, TIGHT_DAILY_CAP } from './sessions.ts';
import { expectMoved, statusOf } from './spending.ts';
import { totalOf } from '../cast/spend-ledger.ts';
import type { Stage } from '../stage.ts';

const PER_AGENT = 10;
/** The last agent sends ten of these; its tight cap allows seven. */
const TIGHT_AMOUNT = USDC / 10n;
const FITTING = Number(TIGHT_DAILY_CAP / TIGHT_AMOUNT);

type Sent = {
  readonly grantee: Grantee;
  readonly request: Payment;
  readonly told: Told;
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
    const sent = await Promise.all(
      crowd.flatMap((grantee, i) =>
        requestsOf(cast, i).map(async (request): Promise<Sent> => {
          const told = await grantee.agent.transfer(request);
          answered += 1;
          step.progress(`${answered} replies`);
          return { grantee, request, told };
        }),
      ),
    );
    step.reply(describeReplies(sent));
    step.expect('replies other than 200, 202 and the expected refusal', [], wrongOnes(sent, crowd));
    await followPending(sent);

    const allowed = ledger.allowed().filter(({ spendId }) => !allowedBefore.has(spendId));
    const denied = ledger.denied().slice(deniedBefore);
    step.expect('spends that are settled', sent.length, allowed.length + denied.length);
    const overCap = denied.filter(({ reason }) => reason === 'DailyCapExceeded').length;
    step.expect('refused for the daily cap', PER_AGENT - FITTING, overCap);
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
function requestsOf({ bakery, printer }: Cast, agent: number): readonly Payment[] {
  return Array.from({ length: PER_AGENT }, (_, n) => ({
    recipient: n % 2 === 0 ? bakery : printer,
    amount: agent === CROWD_SIZE - 1 ? TIGHT_AMOUNT : 10_000n + BigInt(agent * PER_AGENT + n),
  }));
}

/** Expected are 200, 202, and the cap refusal for the agent with the tight cap. */
function wrongOnes(sent: readonly Sent[], crowd: readonly Grantee[]): readonly string[] {
  return sent.flatMap(({ grantee, told }) => {
    if (told.kind !== 'refused') return [];
    const { code, error, status } = told.refusal;
    const isOverCap = status === 402 && code === 'DailyCapExceeded';
    return isOverCap && grantee === crowd.at(-1) ? [] : [`${status} ${error} (${code})`];
  });
}

async function followPending(sent: readonly Sent[]): Promise<void> {
  await Promise.all(
    sent.map(async ({ grantee, request, told }) => {
      if (told.kind === 'pending') await grantee.agent.follow(request, told.spendId);
    }),
  );
}

function describeReplies(sent: readonly Sent[]): string {
  const kinds = sent.map(({ told }) =>
    told.kind === 'refused' ? `${statusOf(told)} ${told.refusal.code}` : String(statusOf(told)),
  );
  const counts = [...new Set(kinds)].map(
    (kind) => `${kinds.filter((one) => one === kind).length} × ${kind}`,
  );
  return counts.join(', ');
}
