/** One check of the wallet, taken away or turned wrong. The tests must notice each of them. */
export interface Mutant {
  /** What is missing then. */
  readonly name: string;
  /** Below `program/wallet/src`. */
  readonly file: string;
  /** Stands in that file exactly once. */
  readonly place: string;
  readonly replacement: string;
  /** Words of the names of test files of which at least one test has to fail. */
  readonly noticedBy: readonly [string, ...string[]];
}
