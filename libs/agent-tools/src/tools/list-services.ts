import { type AgentWallet, formatUsdc } from '@agent-wallet/sdk';
import { z } from 'zod';
import { type AgentTool, defineTool, READS } from '../agent-tool.ts';
import type { CallSettings } from '../call-settings.ts';
import { amountOut } from '../fields.ts';

const result = z.object({
  services: z.array(
    z.object({
      slug: z.string().describe('Its name for pay_service.'),
      name: z.string(),
      url: z.string().describe('What path of pay_service is below.'),
      method: z.string().nullable().describe('null: POST with a body, otherwise GET.'),
      max_price: amountOut.describe('The most USDC that one call can cost.'),
      payee: z.string().describe('Must be one of allowed_recipients of get_limits.'),
    }),
  ),
});

export const listServices = (wallet: AgentWallet, settings: CallSettings): AgentTool =>
  defineTool({
    name: 'list_services',
    title: 'Paid services',
    description:
      'Lists the paid HTTP services that pay_service can call, with their highest price.',
    input: z.object({}),
    result,
    annotations: READS,
    act: async (_input, signal) => {
      const services = await wallet.services({ ...settings, signal });
      return {
        services: services.map(({ slug, name, base_url, method, max_price, pay_to }) => ({
          slug,
          name,
          url: base_url,
          method,
          max_price: formatUsdc(max_price),
          payee: pay_to,
        })),
      };
    },
  });
