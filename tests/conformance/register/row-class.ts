/** What becomes of a row of the interface. */
export type Row =
  /** Shown by a test on the running system. */
  | { readonly says: string; readonly class: 'tested' }
  /** Belongs to a capability that this repository does not have yet. */
  | { readonly says: string; readonly class: 'later'; readonly capability: string }
  /** Nothing that this service could do or leave undone. */
  | { readonly says: string; readonly class: 'not ours'; readonly why: string };

/** Rows by their id, such as `errors.402.insufficient-liquid`. */
export type Section = Readonly<Record<string, Row>>;

/** `says`: the sentence or table row that the id stands for, in short words. */
export const tested = (says: string) => ({ says, class: 'tested' }) as const;

/** A section of the register; a plain sentence is a row that a test shows. */
export const section = <const Rows extends Readonly<Record<string, string | Row>>>(rows: Rows) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same keys, each with its row
  Object.fromEntries(
    Object.entries(rows).map(([id, row]) => [id, typeof row === 'string' ? tested(row) : row]),
  ) as Readonly<Record<keyof Rows & string, Row>>;

export const later = (capability: string, says: string) =>
  ({ says, class: 'later', capability }) as const;

export const notOurs = (why: string, says: string) => ({ says, class: 'not ours', why }) as const;
