import type { Report, Surface } from './surface.ts';

/** What came of one surface. */
export type Outcome = {
  readonly surface: Surface;
  readonly report: Report;
  /** Whether the surface noticed each mutant that was tried. */
  readonly noticed: ReadonlyMap<string, boolean>;
};

/** One line for each surface, and one for all. */
export function formatTable(outcomes: readonly Outcome[]): string {
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
  const table = [['surface', 'cases', 'findings', 'mutants noticed'], ...lines, total];
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...table.map((line) => line[column]?.length ?? 0)),
  );
  const written = table.map((line) =>
    line
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join(' | '),
  );
  const rule = widths.map((width) => '-'.repeat(width)).join(' | ');
  return [written[0], rule, ...written.slice(1)].map((line) => `| ${line} |`).join('\n');
}

const countNoticed = (noticed: ReadonlyMap<string, boolean>): number =>
  [...noticed.values()].filter(Boolean).length;
