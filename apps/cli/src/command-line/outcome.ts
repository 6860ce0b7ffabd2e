import { EXIT, type ExitCode } from '../cli-error.ts';

/** The result of a command: for people as text, with `--json` as one value. */
export type Outcome = {
  readonly exitCode: ExitCode;
  readonly text: string | Uint8Array;
  /** Amounts as bigint base units; they are printed as decimal USDC. */
  readonly json: unknown;
};

/** The outcome of a command that did what it should. */
export const done = (text: string | readonly string[], json: unknown): Outcome => ({
  exitCode: EXIT.done,
  text: typeof text === 'string' ? text : text.join('\n'),
  json,
});
