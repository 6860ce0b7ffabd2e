/** What a command's exit code says. */
export const EXIT = {
  done: 0,
  /** Refused, or something differs or stays. */
  refused: 1,
  /** Failed, or called in a wrong way. */
  failed: 2,
  /** The outcome is not known yet. */
  pending: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Why a command failed, in one sentence for a person at a terminal. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(
    message: string,
    { exitCode = EXIT.failed, ...options }: ErrorOptions & { readonly exitCode?: ExitCode } = {},
  ) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
