import { errorName } from './error-names.ts';
import type { Coverage } from './coverage.ts';

/** Instructions × outcomes, each outcome a line with its count. */
export function formatCoverage(coverage: Coverage): string {
  const entries = coverage.entries();
  const instructions = [...new Set(entries.map(([instruction]) => instruction))].toSorted();
  return instructions.map((instruction) => formatInstruction(instruction, coverage)).join('\n');
}

function formatInstruction(instruction: string, coverage: Coverage): string {
  const outcomes = coverage
    .entries()
    .filter(([one]) => one === instruction)
    .toSorted(([, , a], [, , b]) => b - a);
  const all = outcomes.reduce((sum, [, , times]) => sum + times, 0);
  const told = outcomes.map(([, outcome, times]) => `${errorName(outcome)} ${times}`);
  return `${instruction}: ${all}\n  ${wrap(told).join('\n  ')}`;
}

/** Words in lines of about 100 characters. */
function wrap(words: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > 96) lines.push(word);
    else lines[lines.length - 1] = `${last} · ${word}`;
  }
  return lines;
}
