import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type Results, withoutResults, writeDocument } from './document.ts';
import { FEWEST_ROWS, findFaults } from './find-faults.ts';
import { findTests, idsIn } from './find-tests.ts';
import { register } from './register/index.ts';
import { later, notOurs, type Section, tested } from './register/row-class.ts';

const NO_RESULTS: Results = new Map();

it('has a class for every row, a test for every tested one, and no test besides', async () => {
  expect(findFaults(register, await findTests())).toEqual([]);
});

it('is what docs/conformance.md was written from', async () => {
  const committed = await readFile(new URL('../../docs/conformance.md', import.meta.url), 'utf8');
  const fresh = writeDocument(register, await findTests(), NO_RESULTS);
  expect(withoutResults(committed), 'run npm run conformance -- --write').toBe(
    withoutResults(fresh),
  );
});

it('finds one id or several in a call of row', () => {
  const text = "row('a.one', () => {});\nrow(\n  ['a.two', 'a.three'],\n  () => {},\n);\n";
  expect(idsIn(text)).toEqual(['a.one', 'a.two', 'a.three']);
});

describe('a register', () => {
  const enough = Object.fromEntries(
    Array.from({ length: FEWEST_ROWS }, (_, i) => [
      `a.row-${i}`,
      later('another day', 'something'),
    ]),
  );
  const faultsOf = (section: Section, ids: readonly string[] = []): readonly string[] =>
    findFaults(
      { enough, section },
      ids.map((id) => ({ id, file: 'x.test.ts' })),
    );

  it('is well with a test for each tested row', () => {
    const section = { 'b.one': tested('one'), 'b.two': notOurs('a warning', 'two') };
    expect(faultsOf(section, ['b.one'])).toEqual([]);
  });

  // What the types refuse too, as it would come from code that gets around them.
  const unclassified: Section = JSON.parse('{"b.one":{"says":"one","class":"soon"}}');

  it.each<[string, Section, readonly string[], string]>([
    ['an unclassified row', unclassified, [], 'b.one has no class'],
    ['a reason that is empty', { 'b.one': later('', 'one') }, [], 'b.one has no class'],
    ['a tested row without a test', { 'b.one': tested('one') }, [], 'b.one has no test'],
    ['a test without a row', {}, ['b.one'], 'x.test.ts tests b.one, which is no tested row'],
    [
      'a test of a row that is not tested',
      { 'b.one': later('another day', 'one') },
      ['b.one'],
      'x.test.ts tests b.one, which is no tested row',
    ],
    ['two tests of one row', { 'b.one': tested('one') }, ['b.one', 'b.one'], 'b.one has two tests'],
    ['an id twice', { 'a.row-0': later('another day', 'again') }, [], 'a.row-0 is there twice'],
    [
      'an id of another form',
      { One: later('another day', 'one') },
      [],
      'One is no id, it says one',
    ],
  ])('is faulty with %s', (_what, section, ids, fault) => {
    expect(faultsOf(section, ids)).toEqual([fault]);
  });

  it('is faulty with too few rows', () => {
    expect(findFaults({}, [])).toEqual([`0 rows, fewer than ${FEWEST_ROWS}`]);
  });
});

describe('the document', () => {
  const section = { 'b.one': tested('one'), 'b.two': later('another day', 'a | b') };
  const tests = [{ id: 'b.one', file: 'x.test.ts' }];
  const write = (results: Results, one: Section = section): string =>
    writeDocument({ Section: one }, tests, results);

  it('names each row with its test and its result', () => {
    const text = write(new Map([['b.one', 'passed']]));
    expect(text).toContain('1 of 1 tested rows passed.');
    expect(text).toMatch(/^\| `b\.one` \| one +\| `x\.test\.ts` +\| passed \|$/m);
    expect(text).toMatch(/^\| `b\.two` \| a \\\| b +\| later: another day +\| – +\|$/m);
  });

  it('is stale when a row, a class or a test differs, and not for another result', () => {
    const fresh = withoutResults(write(NO_RESULTS));
    expect(withoutResults(write(new Map([['b.one', 'failed']])))).toBe(fresh);
    const others: Section[] = [
      { ...section, 'b.three': tested('three') },
      { ...section, 'b.one': later('another day', 'one') },
      { ...section, 'b.one': tested('another one') },
    ];
    for (const other of others) expect(withoutResults(write(NO_RESULTS, other))).not.toBe(fresh);
  });
});
