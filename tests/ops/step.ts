/** One thing that `npm run ops:check` shows. */
export type Step = {
  /** A sentence about what holds when the step has passed. */
  readonly name: string;
  /** Throws when it does not hold, and Skipped when this machine cannot tell. */
  readonly run: (ops: Ops) => Promise<void>;
};

/** What the steps share. */
export type Ops = {
  /** For files of the run; empty at the start, below `.local`. */
  readonly folder: string;
  /** A line for people. */
  readonly log: (line: string) => void;
};

/** The reason why a step cannot run on this machine. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}
