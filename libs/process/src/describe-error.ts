/** The fields of an error that a log line may hold. */
export type DescribedError = {
  readonly type: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: unknown;
  readonly context?: unknown;
  readonly cause?: DescribedError;
};

const MAX_CAUSES = 4;

/**
 * Returns only the named fields of an error and its causes. Database errors carry whole rows and
 * query values, which may hold sealed keys.
 */
export function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const code = 'code' in error ? error.code : undefined;
  const context = 'context' in error ? error.context : undefined;
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...(code === undefined ? {} : { code }),
    ...(context === undefined ? {} : { context }),
    ...(error.cause === undefined || depth >= MAX_CAUSES
      ? {}
      : { cause: describeError(error.cause, depth + 1) }),
  };
}
