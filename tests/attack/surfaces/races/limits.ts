import type { HttpSession } from '../../../support/http/http-owner.ts';
import type { Part } from '../../parts.ts';
import type { Target } from '../../target.ts';
import { atOnce, createParty, findOdd, readAccepted, spend } from './world.ts';

const AMOUNT = 100_000n;
const SPENDS = 24;

/** Concurrent spends for more than a limit allows. */
export const limits: Part<Target> = {
  shows: ['reservations-hold-nothing', 'open-spends-hold-nothing'],
  attack: async (cases, target) => {
    await Promise.all(
      [1, 2].flatMap((n) => [
        cases.try(`${SPENDS} spends at the daily cap, ${n}`, () => tryCap(target)),
        cases.try(`${SPENDS} spends of ${n} sessions for the last money`, () =>
          tryLiquidity(target, n),
        ),
      ]),
    );
  },
};

async function tryCap(target: Target): Promise<string | null> {
  const party = await createParty(target, 100n * AMOUNT);
  const session = await party.openSession({ dailyCap: 10n * AMOUNT, maxPerTx: AMOUNT });
  const answers = await atOnce(SPENDS, (n) =>
    spend(party, session, { amount: AMOUNT, key: `k${n}` }),
  );
  const disagreement = await party.judge();
  const paid = await party.paid();
  if (paid > 10n * AMOUNT) return `${paid} base units were paid`;
  return disagreement ?? findOdd(answers) ?? (paid === 0n ? 'nothing was paid at all' : null);
}

async function tryLiquidity(target: Target, count: number): Promise<string | null> {
  const funds = 5n * AMOUNT + AMOUNT / 2n;
  const party = await createParty(target, funds);
  const sessions: HttpSession[] = [];
  for (let made = 0; made < count; made += 1) sessions.push(await party.openSession());
  const answers = await atOnce(SPENDS, async (n) => {
    const session = sessions[n % count];
    if (session === undefined) throw new Error('no session');
    return spend(party, session, { amount: AMOUNT, key: `k${n}` });
  });
  const disagreement = await party.judge();
  const [paid, accepted] = [await party.paid(), await readAccepted(party)];
  if (paid > funds) return `${paid} base units were paid of ${funds}`;
  if (accepted > funds) return `${accepted} base units were promised of ${funds}`;
  return disagreement ?? findOdd(answers) ?? (paid === 0n ? 'nothing was paid at all' : null);
}
