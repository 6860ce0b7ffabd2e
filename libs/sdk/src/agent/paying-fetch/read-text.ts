import type { TimeLimit } from '../../http/time-limit.ts';

/**
 * The text of a body of at most `maxBytes`; null for a longer one, and for one that does not end
 * within the time limit or breaks off. A stranger's service must not hold the agent.
 */
export async function readText(
  response: Response,
  maxBytes: number,
  limit: TimeLimit,
): Promise<string | null> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  let isLate = false;
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  const timer = setTimeout(
    () => {
      isLate = true;
      cancel();
    },
    Math.max(1, limit.remainingMs()),
  );
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // A cancelled reader ends like a complete one.
      if (done) return isLate ? null : text + decoder.decode();
      size += value.byteLength;
      if (size > maxBytes) return null;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    limit.signal?.throwIfAborted();
    return null;
  } finally {
    clearTimeout(timer);
    cancel();
  }
}
