/** One change of a source file. */
export type Edit = {
  /** From the root of the repository. */
  readonly file: string;
  /** Occurs in that file exactly once. */
  readonly find: string;
  readonly replace: string;
};

/**
 * What has to notice a mutant: tests of the program by words of their file's name, a surface of
 * `npm run attack`, or a row of `npm run chaos`.
 */
export type Proof = `test ${string}` | `surface ${string}` | `row ${string}`;

/** A known defect: the product with one rule missing or wrong. */
export type Mutant = Edit & {
  readonly name: string;
  /** Further edits, where one is not enough. */
  readonly also?: readonly Edit[];
  /** Each surface and row has to notice it, and at least one of the tests. */
  readonly noticedBy: readonly [Proof, ...Proof[]];
};

export const editsOf = ({ file, find, replace, also = [] }: Mutant): readonly Edit[] => [
  { file, find, replace },
  ...also,
];

/** Returns the changed source. Throws when it does not hold the text to replace exactly once. */
export function applyEdit(source: string, { file, find, replace }: Edit): string {
  const parts = source.split(find);
  if (parts.length !== 2) {
    throw new Error(`${file} has this text ${parts.length - 1} times instead of once: ${find}`);
  }
  return parts.join(replace);
}

/** Returns the mutants of one file of the wallet program. */
export const inWallet = (file: string, rows: readonly Omit<Mutant, 'file'>[]): readonly Mutant[] =>
  rows.map((row) => ({ ...row, file: `program/wallet/src/${file}` }));
