import type { Coverage } from './coverage.ts';
import { errorName } from './error-names.ts';
import { possible } from './possible.ts';

/** Instructions × outcomes with counts, and the possible pairs that did not occur. */
export function formatCoverage(coverage: Coverage): string {
  const entries = coverage.entries();
  const instructions = [...new Set(entries.map(([instruction]) => instruction))].toSorted();
  const tables = instructions.map((instruction) => formatInstruction(instruction, coverage));
  return [...tables, formatPairs(entries)].join('\n');
}

function formatInstruction(instruction: string, coverage: Coverage): string {
  const outcomes = coverage
    .entries()
    .filter(([one]) => one === instruction)
    .toSorted(([, , a], [, , b]) => b - a);
  const all = outcomes.reduce((sum, [, , times]) => sum + times, 0);
  const words = outcomes.map(([, outcome, times]) => `${errorName(outcome)} ${times}`);
  return `${instruction}: ${all}\n  ${wrap(words).join('\n  ')}`;
}

function formatPairs(entries: ReturnType<Coverage['entries']>): string {
  const met = new Set(entries.map(([instruction, outcome]) => `${instruction} ${outcome}`));
  const pairs = [...possible].flatMap(([instruction, outcomes]) =>
    outcomes.map((outcome) => ({ instruction, outcome })),
  );
  const unmet = pairs.filter(({ instruction, outcome }) => !met.has(`${instruction} ${outcome}`));
  const words = unmet.map(({ instruction, outcome }) => `${instruction} ${errorName(outcome)}`);
  const sentence = `${pairs.length - unmet.length} of ${pairs.length} pairs of instruction and outcome met`;
  return words.length === 0 ? sentence : `${sentence}; not met:\n  ${wrap(words).join('\n  ')}`;
}

/** Joins words into lines of about 100 characters. */
function wrap(words: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > 96) lines.push(word);
    else lines[lines.length - 1] = `${last} · ${word}`;
  }
  return lines;
}
