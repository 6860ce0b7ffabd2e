import { z } from 'zod';

/** What the bare route gets over the channel of its process. */
export const plainRefusalOptions = z.object({
  databaseUrl: z.string(),
  apiKeys: z.array(z.string()),
});

export type PlainRefusalOptions = z.infer<typeof plainRefusalOptions>;
