import { type AgentWallet, usdc } from '@agent-wallet/sdk';
import { z } from 'zod';
import { type AgentTool, defineTool, MOVES_MONEY } from '../agent-tool.ts';
import { READ_BACK_MS, type SpendLimit } from '../call-settings.ts';
import { amountIn, recipient, requestId } from '../fields.ts';
import { overToolLimit } from '../refusal/refusal.ts';
import { spendView, viewSpend } from '../spend-view.ts';

export const transferUsdc = (wallet: AgentWallet, settings: SpendLimit): AgentTool =>
  defineTool({
    name: 'transfer_usdc',
    title: 'Transfer USDC',
    description:
      'Pays USDC to a recipient of the list in get_limits. A confirmed transfer cannot be undone. ' +
      'With status pending, read the spend with get_spend; do not pay again under another request_id.',
    input: z.object({ recipient, amount: amountIn, request_id: requestId }),
    result: spendView,
    annotations: MOVES_MONEY,
    act: async ({ recipient: payee, amount: text, request_id: idempotencyKey }, signal) => {
      const { timeoutMs, maxAmount } = settings;
      const amount = usdc(text);
      if (maxAmount !== null && amount > maxAmount) return overToolLimit(maxAmount);
      const payment = { recipient: payee, amount };
      const sent = await wallet.transfer(payment, { timeoutMs, signal, idempotencyKey });
      return viewSpend(await wallet.spend(sent.spend_id, { timeoutMs: READ_BACK_MS, signal }));
    },
  });
