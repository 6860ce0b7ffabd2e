import { ERROR_ROWS } from '@agent-wallet/contract';
import { describe, expect, it } from 'vitest';

import apiDocument from '../../../../../docs/api.md?raw';
import idl from '../../../../../program/idl/agent_wallet.json' with { type: 'json' };
import { findWords } from './find-words.ts';

/** The names that docs/api.md lists for `reason` in the log. */
const documentedReasons = (): string[] => {
  const row = apiDocument.split('\n').find((line) => line.startsWith('| `reason` '));
  return [...(row ?? '').matchAll(/`([A-Za-z_]+)`/g)].flatMap(([, name]) => name ?? []).slice(1);
};
const programErrors = (): string[] => idl.errors.map(({ name }) => name);
const unknownWords = (code: string) => findWords('x').why.replace('x', code);

describe('the words of refusals', () => {
  it.each([
    ['the error table of the interface', () => Object.keys(ERROR_ROWS), 50],
    ['the reasons of the log', documentedReasons, 15],
    ["the program's errors", programErrors, 33],
  ])('cover %s', (_list, names, atLeast) => {
    const all = names();
    expect(all.length).toBeGreaterThanOrEqual(atLeast);
    expect(all.filter((name) => findWords(name).why === unknownWords(name))).toEqual([]);
  });

  it('are sentences, and no two refusals of a list read the same', () => {
    const names = [...Object.keys(ERROR_ROWS), ...programErrors()];
    for (const name of names) expect(findWords(name).why).toMatch(/^[A-Z].*\.$/);
    const ofProgram = programErrors().map((name) => findWords(name).why);
    expect(new Set(ofProgram).size).toBe(ofProgram.length);
  });

  it('name a code that nobody knows, also one that an object has by itself', () => {
    expect(findWords('InsufficientFunds').why).toContain('InsufficientFunds');
    expect(findWords('constructor').why).toContain('constructor');
  });
});
