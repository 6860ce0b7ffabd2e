import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { surfaces } from '../attack/surfaces.ts';
import { chainReadEdits, nudgeEdits } from '../chaos/preload/edits.ts';
import { createRows } from '../chaos/rows.ts';
import { applyEdit, editsOf } from './mutant.ts';
import { mutants } from './mutants.ts';

const ROOT = new URL('../../', import.meta.url);

const edits = [
  ...mutants.flatMap((mutant) => editsOf(mutant).map((edit) => ({ ...edit, name: mutant.name }))),
  ...nudgeEdits.map((edit) => ({ ...edit, name: 'lose-nudges' })),
  ...chainReadEdits.map((edit) => ({ ...edit, name: 'stop-before-chain-read' })),
];

describe('the mutants', () => {
  it.each(edits)('$name finds its text in $file exactly once', (edit) => {
    const source = readFileSync(new URL(edit.file, ROOT), 'utf8');
    expect(applyEdit(source, edit)).not.toBe(source);
  });

  it('have unique names', () => {
    const names = mutants.map(({ name }) => name);
    expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
  });

  it('are noticed by test files, surfaces and rows that exist', () => {
    const tests = readdirSync(new URL('program/tests', ROOT), { recursive: true });
    const files = tests.map((file) => `tests/${String(file)}`);
    const proofs = new Set([
      ...surfaces.map(({ name }) => `surface ${name}`),
      ...createRows().map(({ name }) => `row ${name}`),
    ]);
    const exists = (proof: string): boolean =>
      proof.startsWith('test ')
        ? files.some((file) => file.includes(proof.slice('test '.length)))
        : proofs.has(proof);
    expect(mutants.flatMap(({ noticedBy }) => noticedBy).filter((one) => !exists(one))).toEqual([]);
  });

  it('are noticed by a test where they are in the program', () => {
    const unproved = mutants.filter(
      ({ file, noticedBy }) =>
        file.startsWith('program/') !== noticedBy.some((proof) => proof.startsWith('test ')),
    );
    expect(unproved).toEqual([]);
  });

  it('leave no surface without one', () => {
    expect(surfaces.filter((surface) => surface.mutants.length === 0)).toEqual([]);
  });
});
