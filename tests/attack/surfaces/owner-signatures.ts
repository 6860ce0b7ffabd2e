import { mutantsNoticedBy } from '../../mutants/mutants.ts';
import { attackParts, type Part } from '../parts.ts';
import { addSessionKeys } from '../session-keys.ts';
import type { Surface } from '../surface.ts';
import type { Target } from '../target.ts';
import { deadlines } from './owner-signatures/deadlines.ts';
import { reserve } from './owner-signatures/reserve.ts';
import { replays } from './owner-signatures/replays.ts';

const PARTS: readonly Part<Target>[] = [deadlines, reserve, replays];
const SESSION_KEYS = 100;

/** Transactions that the owner signed, and that a compromised backend sends later. */
export const ownerSignatures: Surface = {
  name: 'owner signatures',
  leastCases: 24,
  mutants: mutantsNoticedBy('surface owner signatures'),
  attack: async (context) => {
    // No session spends here; what counts are the accounts on the chain.
    await using target = await context.startTarget({
      workers: { tx: 0, confirm: 0 },
      slotTimeMs: 200,
    });
    await addSessionKeys(target.fixture.db, SESSION_KEYS);
    const report = await attackParts(context, PARTS, target);
    return { ...report, findings: [...report.findings, ...target.deaths] };
  },
};
