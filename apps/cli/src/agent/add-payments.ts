import { formatUsdc } from '@agent-wallet/sdk';
import { addCommand } from '../command-line/add-command.ts';
import { address, amount } from '../command-line/inputs.ts';
import { done } from '../command-line/outcome.ts';
import type { AddCommands } from '../command-line/parse-command-line.ts';
import { IDEMPOTENCY_OPTION, idempotencyKey, spendOnce } from './spend-once.ts';
import { AGENT_OPTIONS, agentInput, openAgent } from './with-agent.ts';

export const addPayments: AddCommands = (to) => {
  addCommand(to, {
    usage: 'transfer <recipient> <amount>',
    summary: 'pay USDC to a wallet of the session, and wait until it is confirmed',
    options: [IDEMPOTENCY_OPTION, ...AGENT_OPTIONS],
    examples: [
      'agent transfer <address> 0.25',
      'agent transfer <address> 0.25 --idempotency-key invoice-7 --json',
    ],
    input: agentInput.extend({ recipient: address, amount, idempotencyKey }),
    run: (input, context) =>
      spendOnce(input.idempotencyKey, context, async (key) => {
        const { recipient, amount: units, timeout: timeoutMs } = input;
        const wallet = openAgent(input, context);
        const options = { signal: context.signal, timeoutMs };
        const spend = await wallet.transfer(
          { recipient, amount: units },
          { ...options, idempotencyKey: key },
        );
        const { spend_id, tx_signature } =
          spend.status === 'confirmed' ? spend : await wallet.waitFor(spend, options);
        return done(
          `Paid ${formatUsdc(units)} USDC to ${recipient} with transaction ${tx_signature}, spend ${spend_id}.`,
          {
            status: 'confirmed',
            spend_id,
            tx_signature,
            recipient,
            amount: units,
            idempotency_key: key,
          },
        );
      }),
  });
};
