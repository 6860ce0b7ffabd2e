/** Without imports of Node, because the owner's page uses these rules too. */
export {
  applySpend,
  countedBuckets,
  countedSpend,
  emptySpendWindow,
  fitsAt,
  mostSpendable,
  resetsAt,
  windowStart,
} from './limits/spend-window.ts';
export { blastRadius, sumBlastRadius } from './limits/blast-radius.ts';
export type { BlastRadius, Holdings, Spendable } from './limits/blast-radius.ts';
export type { SpendWindow } from './limits/spend-window.ts';
export { replayBit } from './limits/replay-window.ts';
export type { ReplayBit, ReplayWindow } from './limits/replay-window.ts';
export { createOpensAt } from './hours/known-openings.ts';
export { isWithinWindow, isTimezone, opensAt, openSpans } from './hours/time-window.ts';
export type { OpenSpan, TimeWindow } from './hours/time-window.ts';
export { readStrictUrl } from './urls/strict-url.ts';
export { maxPerCall } from './urls/url-allowlist.ts';
export { matchUrl, parsePattern } from './urls/url-pattern.ts';
export type { PatternResult, UrlPattern } from './urls/url-pattern.ts';
export {
  INSTRUCTION_BIT,
  predictProgramRefusal,
  predictVaultRefusal,
} from './limits/mirrored-limits.ts';
export type {
  LimitRefusal,
  LimitState,
  PlannedSpend,
  SpendInstruction,
} from './limits/mirrored-limits.ts';
