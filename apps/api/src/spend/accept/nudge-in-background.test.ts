import { expect, test, vi } from 'vitest';
import { createNudgeInBackground } from './nudge-in-background.ts';

test('a queue that is away fails no request', async () => {
  const fault = new Error('away');
  const onFault = vi.fn<(error: unknown) => void>();
  await createNudgeInBackground(() => Promise.reject(fault), onFault)('a');
  await vi.waitFor(() => expect(onFault).toHaveBeenCalledWith(fault));
});
