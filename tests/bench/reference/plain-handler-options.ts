import { z } from 'zod';

/** What the plain handler gets over the channel of its process. */
export const plainHandlerOptions = z.object({
  rpcUrl: z.string(),
  /** For what it reads at its start, past any proxy. */
  chainRpcUrl: z.string(),
  wsUrl: z.string(),
  databaseUrl: z.string(),
  programId: z.string(),
  usdcMint: z.string(),
  /** Base58 secret keys. */
  feePayerKeys: z.array(z.string()).min(1),
  sessions: z.array(
    z.object({
      apiKey: z.string(),
      /** Base58. */
      secretKey: z.string(),
      vault: z.string(),
      index: z.string(),
    }),
  ),
  /** Mutex: one transfer of a session at a time, and a failed one is sent again, twice. */
  isCareful: z.boolean(),
});

export type PlainHandlerOptions = z.infer<typeof plainHandlerOptions>;
