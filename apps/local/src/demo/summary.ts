import { inUsdc } from './amounts.ts';
import type { Reporter } from './reporter.ts';
import { type SpendLedger, totalOf } from './cast/spend-ledger.ts';

/** How the story ended. */
export type Outcome = {
  readonly counts: ReturnType<Reporter['counts']>;
  /** Why it stopped before its last step; null when it did not. */
  readonly brokeOff: string | null;
  readonly wasInterrupted: boolean;
};

/** 0 only when each step ran and went as expected; 130 after a Ctrl-C. */
export function exitCodeOf({ counts, brokeOff, wasInterrupted }: Outcome): number {
  if (wasInterrupted) return 130;
  const isComplete = brokeOff === null && counts.steps > 0;
  return isComplete && counts.asExpected === counts.steps ? 0 : 1;
}

/** The last line, with the first line of `brokeOff`: the failed step has shown the rest. */
export function summaryOf(
  { counts, brokeOff }: Outcome,
  ledger: Pick<SpendLedger, 'allowed' | 'denied'>,
  seconds: number,
): string {
  const { steps, asExpected } = counts;
  const allowed = ledger.allowed();
  const paid = allowed.filter(({ recipient }) => recipient !== null);
  const parts = [
    `demo: ${asExpected} of ${steps} steps as expected`,
    `${allowed.length} spends landed (${inUsdc(totalOf(paid))} paid)`,
    `${ledger.denied().length} refused`,
    `${Math.round(seconds)} s`,
  ];
  return `${parts.join(', ')}${brokeOff === null ? '' : `; stopped early: ${brokeOff.split('\n', 1)[0]}`}`;
}
