import { type AgentWallet, isAgentWalletError } from '@agent-wallet/sdk';
import { z } from 'zod';
import { type AgentTool, defineTool, READS } from '../agent-tool.ts';
import type { CallSettings } from '../call-settings.ts';
import { spendView, viewSpend } from '../spend-view.ts';

/** A model cannot wait: the tool waits for it, and less long than its client waits. */
const WAIT_MS = 20_000;

export const getSpend = (wallet: AgentWallet, settings: CallSettings): AgentTool =>
  defineTool({
    name: 'get_spend',
    title: 'Look at a payment',
    description:
      'Returns a payment of this session and its outcome. Waits up to 20 seconds for a pending one.',
    input: z.object({ spend_id: z.string().describe('From an earlier result.') }),
    result: spendView,
    annotations: READS,
    act: async ({ spend_id: id }, signal) => {
      const spend = await wallet.spend(id, { ...settings, signal });
      if (spend.status !== 'pending') return viewSpend(spend);
      await wallet.waitFor(id, { timeoutMs: WAIT_MS, signal }).catch((error: unknown) => {
        // Still pending, or rejected: the spend itself says so.
        if (!isAgentWalletError(error)) throw error;
      });
      return viewSpend(await wallet.spend(id, { ...settings, signal }));
    },
  });
