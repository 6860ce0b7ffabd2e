import { expect, test } from 'vitest';
import { type AllowedDifference, compareTranscripts, judgeDifferences } from './compare.ts';
import type { Json } from './symbols.ts';

const transcript = (steps: Readonly<Record<string, Json>>): Map<string, Json> =>
  new Map(Object.entries(steps));

const reference = transcript({
  send: { error: { code: -32_002, data: { err: 'BlockhashNotFound', logs: [] } } },
  read: { result: { value: [{ lamports: 5 }, null] } },
});

test('equal transcripts have no differences', () => {
  expect(compareTranscripts(reference, structuredClone(reference))).toEqual([]);
});

test('a changed, a missing and an added field are differences, each with its path', () => {
  const ours = transcript({
    send: { error: { code: -32_003, data: { logs: [] } } },
    read: { result: { value: [{ lamports: 5 }, null, { lamports: 6 }] } },
  });
  expect(compareTranscripts(reference, ours)).toEqual([
    { step: 'send', path: 'error.code', reference: -32_002, ours: -32_003 },
    { step: 'send', path: 'error.data.err', reference: 'BlockhashNotFound', ours: undefined },
    { step: 'read', path: 'result.value.2', reference: undefined, ours: { lamports: 6 } },
  ]);
});

test('a step that only one chain has is a difference', () => {
  const ours = transcript({ ...Object.fromEntries(reference), more: 1 });
  expect(compareTranscripts(reference, ours)).toEqual([
    { step: 'more', path: '', reference: undefined, ours: 1 },
  ]);
  expect(compareTranscripts(ours, reference)).toHaveLength(1);
});

test('null, an empty list and a missing field are different', () => {
  for (const ours of [null, [], {}]) {
    expect(compareTranscripts(transcript({ a: { b: 0 } }), transcript({ a: ours }))).toHaveLength(
      1,
    );
  }
});

const allowed = (fields: Partial<AllowedDifference>): AllowedDifference => ({
  steps: /^send$/,
  paths: /^error\.code$/,
  ours: (value) => value === -32_003,
  because: 'a test',
  ...fields,
});

test('an allowance covers its step, its field and its value alone', () => {
  const found = { step: 'send', path: 'error.code', reference: -32_002, ours: -32_003 };
  expect(judgeDifferences([found], [allowed({})])).toEqual({ unexpected: [], miscounted: [] });
  for (const other of [
    { ...found, step: 'resend' },
    { ...found, path: 'error.codes' },
    { ...found, ours: -32_004 },
  ]) {
    expect(judgeDifferences([other], [allowed({})])).toEqual({
      unexpected: [other],
      miscounted: ['/^send$/ /^error\\.code$/: 0'],
    });
  }
});

test('an allowance covers as many differences as it says', () => {
  const found = { step: 'send', path: 'error.code', reference: -32_002, ours: -32_003 };
  const judge = (count: number, times?: number): number =>
    judgeDifferences(
      Array.from({ length: count }, () => found),
      [times === undefined ? allowed({}) : allowed({ times })],
    ).miscounted.length;
  expect([judge(2, 2), judge(1), judge(5)]).toEqual([0, 0, 0]);
  expect([judge(1, 2), judge(3, 2), judge(0)]).toEqual([1, 1, 1]);
});
