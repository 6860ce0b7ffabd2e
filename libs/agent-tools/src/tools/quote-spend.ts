import { type AgentWallet, type Quote, usdc } from '@agent-wallet/sdk';
import { z } from 'zod';
import { type AgentTool, defineTool, READS } from '../agent-tool.ts';
import type { CallSettings } from '../call-settings.ts';
import { amountIn, recipient, timeOrNull } from '../fields.ts';
import { changed, describeRefusal, type Refusal, refusalSchema } from '../refusal/refusal.ts';

const input = z.object({
  amount: amountIn,
  recipient: recipient.optional(),
  service: z.string().optional().describe('Slug of a service of list_services.'),
});

const result = z.object({
  allowed: z.boolean().describe('Whether the spend would pass all limits now.'),
  fits_at: z
    .string()
    .nullable()
    .describe('ISO 8601: when it would pass by waiting alone; null: waiting does not help.'),
  refusals: z.array(refusalSchema).describe('What would refuse it now.'),
});

export const quoteSpend = (wallet: AgentWallet, settings: CallSettings): AgentTool =>
  defineTool({
    name: 'quote_spend',
    title: 'Check a payment first',
    description:
      'Tells whether a payment of an amount to a recipient, or to a service, would be allowed now, ' +
      'and why not. Moves nothing. Give either recipient or service.',
    input,
    result,
    annotations: READS,
    act: async (asked, signal) => {
      const spend = spendOf(asked);
      if ('try_again' in spend) return spend;
      const quote = await wallet.quote(spend, { ...settings, signal });
      return {
        allowed: quote.allowed,
        fits_at: timeOrNull(quote.fits_at),
        refusals: quote.refusals.map(inWords),
      };
    },
  });

function spendOf(asked: z.output<typeof input>): Parameters<AgentWallet['quote']>[0] | Refusal {
  const { recipient: payee, service: slug } = asked;
  const amount = usdc(asked.amount);
  if (payee !== undefined && slug === undefined) {
    return { kind: 'transfer', recipient: payee, amount };
  }
  if (slug !== undefined && payee === undefined) return { kind: 'pay_service', slug, amount };
  return changed('INVALID_INPUT', 'Either recipient or service must be given, and not both.');
}

function inWords(refusal: Quote['refusals'][number]): Refusal {
  const { code, error, retryable, remedy = null, detail = null, ...details } = refusal;
  return describeRefusal({ code, error, retryable, remedy, detail, details });
}
