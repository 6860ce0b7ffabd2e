/**
 * Waits for `work`, at most `timeoutMs`. Resolves to whether it ended in time; rejects when it
 * rejects in time. Work that is late goes on, and a rejection of it is ignored.
 */
export async function endsWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), timeoutMs);
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
