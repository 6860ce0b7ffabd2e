import { parseSettings, wholeNumber } from '@agent-wallet/process';
import { z } from 'zod';
import type { PageSettings } from '../page/page-settings.ts';

const url = z.url({ protocol: /^https?$/ });
const address = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'must be a base58 address');

/** Open to everybody, with a low rate. */
const DEVNET_RPC_URL = 'https://api.devnet.solana.com';

const settings = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: wholeNumber(3_000, { min: 0, max: 65_535 }),
  /** The address of the HTTP api, as browsers reach it. */
  API_URL: url,
  CLUSTER: z.enum(['devnet', 'mainnet']).default('devnet'),
  PROGRAM_ID: address,
  USDC_MINT: address,
  /** Which yield reserve the program is compiled for. */
  YIELD_RESERVE: z.enum(['devnet', 'local']).default('devnet'),
  /** The RPC endpoint that the page uses; everybody can read it. */
  PUBLIC_RPC_URL: url.optional(),
  EXPLORER_URL: url
    .refine((text) => text.includes('{kind}') && text.includes('{id}'), {
      error: 'must be a URL with {kind} and {id}',
    })
    .optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).default('info'),
});

const environment = settings.transform((given, context) => {
  const { CLUSTER, PUBLIC_RPC_URL = CLUSTER === 'devnet' ? DEVNET_RPC_URL : undefined } = given;
  if (PUBLIC_RPC_URL !== undefined) return { ...given, PUBLIC_RPC_URL };
  context.addIssue({ code: 'custom', path: ['PUBLIC_RPC_URL'], message: 'is missing' });
  return z.NEVER;
});

/** The dashboard's settings, parsed once from the environment. It holds no secret. */
export type Config = z.output<typeof environment>;

/** Parses the environment. Throws one sentence that names the variable, never its value. */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  return parseSettings('dashboard', environment, env);
}

/** What `/config.json` returns. */
export const pageSettingsOf = (config: Config): PageSettings => ({
  apiUrl: config.API_URL,
  cluster: config.CLUSTER,
  programId: config.PROGRAM_ID,
  usdcMint: config.USDC_MINT,
  yieldReserve: config.YIELD_RESERVE,
  rpcUrl: config.PUBLIC_RPC_URL,
  explorerUrl: config.EXPLORER_URL ?? null,
});
