/** Why a command failed, in one sentence for a person at a terminal. */
export class CliError extends Error {
  override readonly name = 'CliError';
}

/** Returns the sentence for any thrown value. */
export function sentenceOf(error: unknown): string {
  if (error instanceof CliError) return error.message;
  const causes: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < 4 && current instanceof Error; depth += 1) {
    causes.push(current.message || current.name);
    current = current.cause;
  }
  return `The command failed: ${causes.join(': ') || String(error)}`;
}
