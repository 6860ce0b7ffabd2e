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
} from './spend-window.ts';
export { blastRadius, sumBlastRadius } from './blast-radius.ts';
export type { BlastRadius, Holdings, Spendable } from './blast-radius.ts';
export type { SpendWindow } from './spend-window.ts';
export { replayBit } from './replay-window.ts';
export type { ReplayBit, ReplayWindow } from './replay-window.ts';
export { createOpensAt } from './known-openings.ts';
export { isWithinWindow, isTimezone, opensAt, openSpans } from './time-window.ts';
export type { OpenSpan, TimeWindow } from './time-window.ts';
export { readStrictUrl } from './strict-url.ts';
export { maxPerCall } from './url-allowlist.ts';
export { matchUrl, parsePattern } from './url-pattern.ts';
export type { PatternResult, UrlPattern } from './url-pattern.ts';
export { INSTRUCTION_BIT, predictProgramRefusal, predictVaultRefusal } from './mirrored-limits.ts';
export type {
  LimitRefusal,
  LimitState,
  PlannedSpend,
  SpendInstruction,
} from './mirrored-limits.ts';
