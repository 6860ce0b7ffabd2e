import { parseAddress } from '@agent-wallet/chain';
import {
  commonSettings,
  loopbackServices,
  parseSettings,
  queueTargetOf,
} from '@agent-wallet/process';
import { z } from 'zod';
import { CliError } from '../cli-error.ts';

const isAddress = (text: string): boolean => parseAddress(text) !== null;

const environment = z.object({
  DATABASE_URL: commonSettings.DATABASE_URL,
  PROGRAM_ID: commonSettings.PROGRAM_ID.refine(isAddress, 'must be an address'),
  USDC_MINT: commonSettings.USDC_MINT.refine(isAddress, 'must be an address'),
  RPC_URL: commonSettings.RPC_URL.optional(),
});

const opsEnvironment = z.object({
  DATABASE_URL: commonSettings.DATABASE_URL,
  REDIS_URL: commonSettings.REDIS_URL,
  REDIS_KEY_PREFIX: commonSettings.REDIS_KEY_PREFIX,
});

const catalogEnvironment = z.object({
  DATABASE_URL: commonSettings.DATABASE_URL,
  LOOPBACK_SERVICES: loopbackServices,
});

/** The settings of `catalog`. Services at `loopbackOrigins` need no https. */
export type CatalogConfig = {
  readonly databaseUrl: string;
  readonly loopbackOrigins: readonly string[];
};

/** The settings of the commands of `ops` that read no chain. */
export type OpsConfig = {
  readonly databaseUrl: string;
  /** Undefined where the queue is in Postgres. */
  readonly redisUrl: string | undefined;
  readonly redisKeyPrefix?: string | undefined;
};

/** The settings of `audit` and `ops restored`. `rpcUrls` is null without RPC_URL. */
export type Config = {
  readonly databaseUrl: string;
  readonly programId: string;
  readonly usdcMint: string;
  readonly rpcUrls: readonly string[] | null;
};

/** Parses the environment. Throws sentences that name each wrong variable, never its value. */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  const settings = parsed(environment, env);
  return {
    databaseUrl: settings.DATABASE_URL,
    programId: settings.PROGRAM_ID,
    usdcMint: settings.USDC_MINT,
    rpcUrls: settings.RPC_URL ?? null,
  };
}

/** Parses the environment for commands of `ops` that read no chain. */
export function parseOpsConfig(env: NodeJS.ProcessEnv): OpsConfig {
  const settings = parsed(opsEnvironment, env);
  return queueTargetOf(settings);
}

/** Parses the environment for `catalog`, which needs no chain. */
export function parseCatalogConfig(env: NodeJS.ProcessEnv): CatalogConfig {
  const settings = parsed(catalogEnvironment, env);
  return { databaseUrl: settings.DATABASE_URL, loopbackOrigins: settings.LOOPBACK_SERVICES };
}

function parsed<Shape extends z.core.$ZodShape>(
  schema: z.ZodObject<Shape>,
  env: NodeJS.ProcessEnv,
): z.output<z.ZodObject<Shape>> {
  try {
    return parseSettings('agent-wallet', schema, env);
  } catch (cause) {
    throw new CliError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
