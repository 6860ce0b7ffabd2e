import type { AgentWallet } from '@agent-wallet/sdk';
import { z } from 'zod';
import { type AgentTool, defineTool, READS } from '../agent-tool.ts';
import type { CallSettings } from '../call-settings.ts';
import { spendView, type SpendView, viewSpend } from '../spend-view.ts';

const MOST = 50;
const USUAL = 10;

export const listSpends = (wallet: AgentWallet, settings: CallSettings): AgentTool =>
  defineTool({
    name: 'list_spends',
    title: 'List payments',
    description:
      'Lists the payments of this session, newest first, pending ones too. Use it to find out ' +
      'whether something was paid before you pay it.',
    input: z.object({
      status: z.enum(['pending', 'confirmed', 'rejected']).optional(),
      limit: z.int().min(1).max(MOST).default(USUAL),
    }),
    result: z.object({ spends: z.array(spendView) }),
    annotations: READS,
    act: async ({ status, limit }, signal) => {
      const spends: SpendView[] = [];
      for await (const spend of wallet.spends({ status }, { ...settings, signal })) {
        spends.push(viewSpend(spend));
        if (spends.length === limit) break;
      }
      return { spends };
    },
  });
