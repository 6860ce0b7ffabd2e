import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Line, Verdict } from '../row.ts';
import { findUnexplained, replaceResult } from './document.ts';

const DOCUMENT = [
  '# Performance',
  '<!-- bench: begin -->',
  'old',
  '<!-- bench: end -->',
  '## Rows that miss',
  '',
  '- `cpu`, `cpu-postgres`: 9 ms, because of',
  '  a reason.',
  '- `burst`: nobody knows.',
  '',
  '## Elsewhere',
  '- `unsent`: 3 of them.',
].join('\n');

const line = (id: string, verdict: Verdict): Line => ({
  id,
  verdict,
  what: id,
  ours: '',
  reference: '',
  result: '',
  target: '',
  numbers: {},
});

test('a result replaces the one before, and nothing else', () => {
  const written = replaceResult(DOCUMENT, 'new');
  expect(written).toContain('<!-- bench: begin -->\n\nnew\n\n<!-- bench: end -->\n## Rows');
  expect(written).not.toContain('old');
  expect(() => replaceResult('# Performance', 'new')).toThrow('bench: begin');
});

test('a missed row needs an entry with a number, in its section', () => {
  const lines = [
    line('cpu', 'missed'),
    line('cpu-postgres', 'missed'),
    line('burst', 'missed'),
    line('unsent', 'missed'),
    line('aged', 'reached'),
  ];
  expect(findUnexplained(DOCUMENT, lines)).toEqual(['burst', 'unsent']);
});

test('docs/performance.md has its markers', () => {
  const document = readFileSync(new URL('../../../docs/performance.md', import.meta.url), 'utf8');
  expect(() => replaceResult(document, '')).not.toThrow();
});
