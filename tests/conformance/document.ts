import { formatTable } from '../support/format-table.ts';
import type { FoundTest } from './find-tests.ts';
import type { Section } from './register/row-class.ts';

/** The result of a row in a run; absent when no test of it ran. */
export type Results = ReadonlyMap<string, 'passed' | 'failed'>;

const HEAD = ['row', 'what the interface says', 'test', 'result'];

/**
 * `docs/conformance.md`: every row, its test, its result. The same register, tests and results give
 * the same text.
 */
export function writeDocument(
  register: Readonly<Record<string, Section>>,
  tests: readonly FoundTest[],
  results: Results,
): string {
  const fileOf = new Map(tests.map(({ id, file }) => [id, file]));
  const sections = Object.entries(register).map(([title, section]) =>
    [`## ${title}`, '', formatTable([HEAD, ...linesOf(section, fileOf, results)]), ''].join('\n'),
  );
  return [...opening(register, results), ...sections].join('\n');
}

/** The document without results, to compare it with the register and the tests. */
export function withoutResults(document: string): string {
  return document
    .replaceAll(/\| (passed|failed|not run) +\|$/gm, '|')
    .replaceAll(/^\d+ of (\d+ tested rows) passed/gm, '$1')
    .replaceAll(/ +/g, ' ')
    .replaceAll(/-+/g, '-');
}

function opening(register: Readonly<Record<string, Section>>, results: Results): readonly string[] {
  const rows = Object.values(register).flatMap((section) => Object.values(section));
  const count = (wanted: string): number => rows.filter((row) => row.class === wanted).length;
  const passed = [...results.values()].filter((result) => result === 'passed').length;
  return [
    '# Conformance',
    '',
    'Each row of the interface, the test in `tests/conformance/rows` that shows it on a running system',
    '(HTTP, a real chain, a real database), and its result. A test may show several rows. Written by',
    '`npm run conformance -- --write`; do not edit.',
    '',
    `${passed} of ${count('tested')} tested rows passed. ${count('later')} rows belong to a later capability,`,
    `${count('not ours')} are not ours to show. Each says why.`,
    '',
  ];
}

function linesOf(
  section: Section,
  fileOf: ReadonlyMap<string, string>,
  results: Results,
): readonly (readonly string[])[] {
  return Object.entries(section).map(([id, row]) => {
    const [test, result] = (() => {
      switch (row.class) {
        case 'tested':
          return [`\`${fileOf.get(id) ?? ''}\``, results.get(id) ?? 'not run'];
        case 'later':
          return [`later: ${row.capability}`, '–'];
        case 'not ours':
          return [`not ours: ${row.why}`, '–'];
      }
    })();
    return [`\`${id}\``, row.says.replaceAll('|', '\\|'), test, result];
  });
}
