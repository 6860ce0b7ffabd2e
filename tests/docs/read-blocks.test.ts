import { describe, expect, it, test } from 'vitest';
import { outputPattern, readSteps, withoutSpace } from './read-blocks.ts';

const FENCE = '```';

function document(...lines: string[]): string {
  return lines.join('\n').replaceAll("'''", FENCE);
}

describe('the steps of a document', () => {
  it('are its shell blocks, each with the output that follows it', () => {
    const steps = readSteps(
      document(
        "'''sh",
        'echo a',
        "'''",
        'It prints:',
        "'''console",
        'a',
        "'''",
        "'''json",
        '{}',
        "'''",
      ),
    );
    expect(steps).toEqual([{ kind: 'shell', line: 1, code: 'echo a', output: 'a' }]);
  });

  it('are the commands after prompts, with lines that go on', () => {
    const steps = readSteps(
      document("'''console", '$ echo a \\', '    b', 'a b', '', '$ true', "'''"),
    );
    expect(steps).toEqual([
      { kind: 'shell', line: 2, code: 'echo a \\\n    b', output: 'a b' },
      { kind: 'shell', line: 6, code: 'true', output: '' },
    ]);
  });

  it('name the login of SQL and the reason of a skipped block', () => {
    const steps = readSteps(
      document(
        "'''sql",
        '-- as the auditor',
        'select 1;',
        "'''",
        '<!-- not run: stays -->',
        '',
        "'''sh",
        'npm start',
        "'''",
      ),
    );
    expect(steps).toEqual([
      { kind: 'sql', line: 1, code: '-- as the auditor\nselect 1;', login: 'auditor' },
      { kind: 'skipped', line: 7, reason: 'stays' },
    ]);
  });

  it('are none of other languages, and a mistake in a block is told with its line', () => {
    expect(readSteps(document("'''json", '{}', "'''"))).toEqual([]);
    expect(() => readSteps(document('', "'''sql", 'select 1;', "'''"))).toThrow('line 2');
    expect(() => readSteps(document("'''console", 'a', "'''"))).toThrow('line 1');
    expect(() => readSteps(document("'''sh", 'echo'))).toThrow('line 1');
  });
});

test.each([
  ['{"a":1}\n', '{"a":1}', true],
  ['{"a":1,"b":2}', '{"a":1,\n "b":2}', true],
  ['{"a":"x1","b":2}', '{"a":"…","b":2}', true],
  ['{"a":1}', '{"a":…', true],
  ['{"a":1}', '{"a":2}', false],
  ['{"a":1}', '', false],
  ['abc', 'a.c', false],
])('the output %j against the shown %j: %j', (actual, shown, expected) => {
  expect(outputPattern(shown).test(withoutSpace(actual))).toBe(expected);
});
