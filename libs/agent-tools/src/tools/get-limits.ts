import { type AgentWallet, formatUsdc } from '@agent-wallet/sdk';
import { z } from 'zod';
import { type AgentTool, defineTool, READS } from '../agent-tool.ts';
import { amountOut, timeOf, timeOrNull } from '../fields.ts';
import type { CallSettings } from '../call-settings.ts';

const result = z.object({
  session_status: z.string().describe('live, or a state in which nothing can be spent.'),
  paused: z.boolean().describe('Whether the owner has paused all spending.'),
  balance: amountOut.describe('USDC in the wallet that can be spent, before the limits.'),
  max_per_tx: amountOut.describe('The most USDC of one transfer.'),
  daily_cap: amountOut.describe('The most USDC in any 24 hours.'),
  daily_spent: amountOut,
  daily_remaining: amountOut.describe('USDC that still fits into the daily cap now.'),
  daily_resets_at: z.string().nullable().describe('ISO 8601: when a part of it is free again.'),
  expires_at: z.string().describe('ISO 8601: end of the session.'),
  allowed_recipients: z.array(z.string()).describe('The only addresses that can be paid.'),
  can_transfer: z.boolean(),
  window_open: z.boolean().describe("Whether now is within the owner's hours for spending."),
  window_opens_at: z.string().nullable().describe('ISO 8601, if it is closed.'),
});

const TRANSFER_BIT = 1;

export const getLimits = (wallet: AgentWallet, settings: CallSettings): AgentTool =>
  defineTool({
    name: 'get_limits',
    title: 'Spending limits',
    description:
      'Returns the balance in USDC and the limits that the owner has set: per transfer, per 24 ' +
      'hours, recipients, hours, expiry. Call it before the first payment.',
    input: z.object({}),
    result,
    annotations: READS,
    act: async (_input, signal) => {
      const limits = await wallet.limits({ ...settings, signal });
      return {
        session_status: limits.status,
        paused: limits.paused,
        balance: formatUsdc(limits.liquid),
        max_per_tx: formatUsdc(limits.max_per_tx),
        daily_cap: formatUsdc(limits.daily_cap),
        daily_spent: formatUsdc(limits.daily_spent),
        daily_remaining: formatUsdc(limits.daily_remaining),
        daily_resets_at: timeOrNull(limits.daily_resets_at),
        expires_at: timeOf(limits.expiry),
        allowed_recipients: limits.allowed_recipients,
        can_transfer: (limits.allowed_instructions & TRANSFER_BIT) !== 0,
        window_open: limits.window_open,
        window_opens_at: timeOrNull(limits.opens_at),
      };
    },
  });
