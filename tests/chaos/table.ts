import { formatTable } from '../support/format-table.ts';
import type { RowResult } from './run-row.ts';

const HEAD = [
  'fault',
  'runs',
  'faults',
  'spends',
  'paid',
  'signed again',
  'landed twice',
  'lost',
  'unsettled',
  'illegal',
  's to rest',
] as const;

const MOST_SENTENCES = 12;

/** Returns a table with one line for each row and one for the total. */
export function tableOf(results: readonly RowResult[]): string {
  const lines = results.map((result) => [
    result.name,
    '1',
    ...numbersOf(result).map(String),
    result.restSeconds.toFixed(1),
  ]);
  const sums = numbersOf(results[0] ?? null).map((_, column) =>
    results.reduce((sum, result) => sum + (numbersOf(result)[column] ?? 0), 0),
  );
  const slowest = Math.max(0, ...results.map(({ restSeconds }) => restSeconds));
  const total = ['all', String(results.length), ...sums.map(String), `≤ ${slowest.toFixed(1)}`];
  return formatTable([HEAD, ...lines, total], { align: 'right' });
}

function numbersOf(result: RowResult | null): readonly number[] {
  if (result === null) return [];
  const { faults, spends, confirmed, signedAgain, landedTwice, lost, unsettled, illegal } = result;
  const found = [landedTwice.length, lost.length, unsettled, illegal.length];
  return [faults, spends, confirmed, signedAgain, ...found];
}

export function isClean({ landedTwice, lost, unsettled, illegal }: RowResult): boolean {
  return landedTwice.length + lost.length + unsettled + illegal.length === 0;
}

/** Returns the findings as sentences. */
export function describeFindings(result: RowResult): readonly string[] {
  const { landedTwice, lost, unsettled, illegal } = result;
  const sentences = [
    ...landedTwice,
    ...lost,
    ...(unsettled === 0 ? [] : [`${unsettled} spends have no final state`]),
    ...illegal,
  ];
  const more = sentences.length - MOST_SENTENCES;
  return [...sentences.slice(0, MOST_SENTENCES), ...(more > 0 ? [`… and ${more} more`] : [])];
}
