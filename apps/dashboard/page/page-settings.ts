import { z } from 'zod';

/**
 * What the page must know and must not take from the API, which would otherwise choose what the
 * owner signs for. The dashboard's server returns it as `/config.json`.
 */
export const pageSettings = z.object({
  apiUrl: z.url({ protocol: /^https?$/ }),
  cluster: z.enum(['devnet', 'mainnet']),
  programId: z.string(),
  usdcMint: z.string(),
  /** Which yield reserve the program is compiled for: that on devnet, or that of a local system. */
  yieldReserve: z.enum(['devnet', 'local']),
  /** Transactions are sent through it. */
  rpcUrl: z.url({ protocol: /^https?$/ }),
  /** With `{kind}` (tx or address) and `{id}`; null: no links to an explorer. */
  explorerUrl: z.string().nullable(),
});

export type PageSettings = z.output<typeof pageSettings>;
