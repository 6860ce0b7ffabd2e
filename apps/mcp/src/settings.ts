import { type Contradiction, parseSettings } from '@agent-wallet/process/parse-settings';
import { wholeNumber } from '@agent-wallet/process/settings';
import { isAgentWalletError, usdc } from '@agent-wallet/sdk';
import { z } from 'zod';

const MIN_TOKEN_CHARS = 32;

/** Addresses and names of this machine alone, as they appear in URLs. */
export const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

const amount = z.string().transform((text, context) => {
  try {
    return usdc(text);
  } catch (error) {
    if (!isAgentWalletError(error, 'INVALID_AMOUNT')) throw error;
    const message = "must be an amount of USDC as a decimal string such as '0.25'";
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }
});

/**
 * The MCP server's settings with their descriptions.
 *
 * @internal exported for `npm run settings`
 */
export const mcpSettings = z.object({
  AGENT_WALLET_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .meta({ description: "Base URL of the wallet's API" }),
  AGENT_WALLET_KEY: z
    .string()
    .regex(/^svc_(?:dev|test|prod)_[\x21-\x7e]+$/, {
      error: 'must begin with svc_dev_, svc_test_ or svc_prod_, without spaces',
    })
    .meta({ secret: true, description: "The agent's API key" }),
  AGENT_WALLET_MAX_AMOUNT: amount.optional().meta({
    unit: 'USDC',
    description: "Maximum amount of one call. Without it only the owner's limits apply",
    example: '0.25',
  }),
  MCP_TRANSPORT: z
    .enum(['stdio', 'http'])
    .default('stdio')
    .meta({ description: 'How clients reach the server' }),
  MCP_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .meta({ description: 'Listen address of the HTTP transport' }),
  MCP_PORT: wholeNumber(3_920, { min: 0, max: 65_535 }).meta({
    description: 'Listen port of the HTTP transport. 0 selects a free one',
  }),
  MCP_TOKEN: z.string().min(MIN_TOKEN_CHARS).optional().meta({
    secret: true,
    description:
      'Bearer token of the HTTP transport, of at least 32 characters. Optional on loopback',
  }),
  MCP_ALLOWED_HOSTS: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((name) => name !== ''))
    .meta({
      description:
        'Names under which clients reach the server, beside those of loopback, separated by commas',
    }),
});

export type Settings = z.output<typeof mcpSettings>;

const contradictions: readonly Contradiction<Settings>[] = [
  {
    of: ['MCP_TOKEN', 'MCP_TRANSPORT', 'MCP_HOST'],
    when: ({ MCP_TRANSPORT, MCP_HOST, MCP_TOKEN }) =>
      MCP_TRANSPORT === 'http' && !isLoopback(MCP_HOST) && MCP_TOKEN === undefined,
    must: 'must be set where MCP_HOST is not on loopback',
  },
];

/** Parses the environment. Throws sentences that name each wrong variable, never its value. */
export function parseMcpSettings(env: NodeJS.ProcessEnv): Settings {
  return parseSettings('agent-wallet-mcp', mcpSettings, env, contradictions);
}

const isLoopback = (host: string): boolean =>
  LOOPBACK.includes(host) || host === '::1' || host.startsWith('127.');
