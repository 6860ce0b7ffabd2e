import { parseSettings, wholeNumber } from '@agent-wallet/process/settings';
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

const environment = z
  .object({
    /** Base URL of the wallet's API. */
    AGENT_WALLET_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
    /** The agent's API key. */
    AGENT_WALLET_KEY: z.string().regex(/^svc_(?:dev|prod)_[\x21-\x7e]+$/, {
      error: 'must begin with svc_dev_ or svc_prod_, without spaces',
    }),
    /** The most USDC that one call may spend; by default only the owner's limits apply. */
    AGENT_WALLET_MAX_AMOUNT: amount.optional(),
    MCP_TRANSPORT: z.enum(['stdio', 'http']).default('stdio'),
    MCP_HOST: z.string().min(1).default('127.0.0.1'),
    MCP_PORT: wholeNumber(3_920, { min: 0, max: 65_535 }),
    /** Bearer token of the HTTP transport. On loopback it is optional. */
    MCP_TOKEN: z.string().min(MIN_TOKEN_CHARS).optional(),
    /** Names under which clients reach the server, beside those of loopback. */
    MCP_ALLOWED_HOSTS: z
      .string()
      .default('')
      .transform((text) => text.split(',').filter((name) => name !== '')),
  })
  .superRefine(({ MCP_TRANSPORT, MCP_HOST, MCP_TOKEN }, context) => {
    const isOpen = MCP_TRANSPORT === 'http' && !isLoopback(MCP_HOST);
    if (!isOpen || MCP_TOKEN !== undefined) return;
    const message = 'must be set where MCP_HOST is not on loopback';
    context.addIssue({ code: 'custom', path: ['MCP_TOKEN'], message });
  });

export type Settings = z.output<typeof environment>;

/** Parses the environment. Throws one sentence that names the variable, never its value. */
export function parseMcpSettings(env: NodeJS.ProcessEnv): Settings {
  return parseSettings('agent-wallet-mcp', environment, env);
}

const isLoopback = (host: string): boolean =>
  LOOPBACK.includes(host) || host === '::1' || host.startsWith('127.');
