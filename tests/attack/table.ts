import { formatTable } from '../support/format-table.ts';
import type { Report, Surface } from './surface.ts';

/** The result of one surface. */
export type Outcome = {
  readonly surface: Surface;
  readonly report: Report;
  /** Whether the surface noticed each mutant that was tried. */
  readonly noticed: ReadonlyMap<string, boolean>;
};

/** Returns a table with one line for each surface and one for the total. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const lines = outcomes.map(({ surface, report, noticed }) => [
    surface.name,
    report.skipped === undefined ? String(report.cases) : 'skipped',
    String(report.findings.length),
    `${countNoticed(noticed)} of ${noticed.size}`,
  ]);
  const sum = (numberOf: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, outcome) => total + numberOf(outcome), 0);
  const total = [
    'all',
    String(sum(({ report }) => report.cases)),
    String(sum(({ report }) => report.findings.length)),
    `${sum(({ noticed }) => countNoticed(noticed))} of ${sum(({ noticed }) => noticed.size)}`,
  ];
  const head = ['surface', 'cases', 'findings', 'mutants noticed'];
  return formatTable([head, ...lines, total], { align: 'right' });
}

const countNoticed = (noticed: ReadonlyMap<string, boolean>): number =>
  [...noticed.values()].filter(Boolean).length;
