import type { FoundTest } from './find-tests.ts';
import type { Section } from './register/row-class.ts';

/** The interface has more; fewer would mean that rows were left out. */
export const FEWEST_ROWS = 150;

const ID = /^[a-z]+(\.[A-Za-z0-9_-]+)+$/;

/** What is wrong with a register and the tests for it, in sentences; none when all is well. */
export function findFaults(
  register: Readonly<Record<string, Section>>,
  tests: readonly FoundTest[],
): readonly string[] {
  const rows = Object.values(register).flatMap((section) => Object.entries(section));
  const isTested = new Map(rows.map(([id, row]) => [id, row.class === 'tested']));
  return [
    ...(rows.length < FEWEST_ROWS ? [`${rows.length} rows, fewer than ${FEWEST_ROWS}`] : []),
    ...repeated(rows.map(([id]) => id)).map((id) => `${id} is there twice`),
    ...repeated(tests.map(({ id }) => id)).map((id) => `${id} has two tests`),
    ...rows.flatMap(([id, row]) => (ID.test(id) ? [] : `${id} is no id, it says ${row.says}`)),
    ...rows.flatMap(([id, row]) => (isClassified(row) ? [] : `${id} has no class`)),
    ...rows.flatMap(([id, row]) =>
      row.class === 'tested' && !tests.some((one) => one.id === id) ? `${id} has no test` : [],
    ),
    ...tests.flatMap(({ id, file }) =>
      isTested.get(id) === true ? [] : `${file} tests ${id}, which is no tested row`,
    ),
  ];
}

/** The types say so too; this is for what gets around them. */
function isClassified(row: Section[string]): boolean {
  const { says } = row;
  switch (row.class) {
    case 'tested':
      return says !== '';
    case 'later':
      return says !== '' && row.capability !== '';
    case 'not ours':
      return says !== '' && row.why !== '';
    default:
      return false;
  }
}

function repeated(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.filter((id, i) => ids.indexOf(id) !== i))];
}
