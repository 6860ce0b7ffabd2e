/** A reason why a command cannot do its work, in one sentence for a person at a terminal. */
export class CliError extends Error {
  override readonly name = 'CliError';
}

/** The sentence for anything thrown. */
export function sentenceOf(error: unknown): string {
  if (error instanceof CliError) return error.message;
  const causes: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < 4 && current instanceof Error; depth += 1) {
    causes.push(current.message || current.name);
    current = current.cause;
  }
  return `It could not be done: ${causes.join(': ') || String(error)}`;
}
