import type { AgentWallet } from '@agent-wallet/sdk';
import type { AgentTool } from './agent-tool.ts';
import { getLimits } from './tools/get-limits.ts';
import { getSpend } from './tools/get-spend.ts';
import { listServices } from './tools/list-services.ts';
import { listSpends } from './tools/list-spends.ts';
import { payService } from './tools/pay-service.ts';
import { quoteSpend } from './tools/quote-spend.ts';
import { transferUsdc } from './tools/transfer-usdc.ts';

/** MCP clients commonly give up after 60 seconds; a refusal must reach the model before. */
const TIMEOUT_MS = 50_000;

export type AgentToolsOptions = {
  readonly wallet: AgentWallet;
  /** The most base units that one call may spend; by default only the owner's limits apply. */
  readonly maxAmount?: bigint | undefined;
};

/**
 * The tools of one wallet, for every framework.
 *
 * They send requests to the wallet's API alone. A tool that fetched a URL which a model names would
 * reach the network of the machine that it runs on.
 */
export function createAgentTools({ wallet, maxAmount }: AgentToolsOptions): readonly AgentTool[] {
  const settings = { timeoutMs: TIMEOUT_MS };
  const limit = { ...settings, maxAmount: maxAmount ?? null };
  return [
    getLimits(wallet, settings),
    listServices(wallet, settings),
    quoteSpend(wallet, settings),
    transferUsdc(wallet, limit),
    payService(wallet, limit),
    getSpend(wallet, settings),
    listSpends(wallet, settings),
  ];
}
