/**
 * A reason why the local system cannot run, told in one sentence for a person at a terminal.
 * Entry points print `message` alone, without a stack trace, and exit with 1.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}
