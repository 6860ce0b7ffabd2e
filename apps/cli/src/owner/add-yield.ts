import { formatUsdc, type WalletYield } from '@agent-wallet/sdk/owner';
import { addCommand } from '../command-line/add-command.ts';
import { amount } from '../command-line/inputs.ts';
import { done } from '../command-line/outcome.ts';
import type { AddCommands } from '../command-line/parse-command-line.ts';
import { listOf } from '../terminal/table.ts';
import {
  amountOrAll,
  OWNER_OPTIONS,
  ownerInput,
  SIGNING_OPTIONS,
  signingInput,
} from './owner-inputs.ts';
import { outcomeOf, signAndSend } from './sign-and-send.ts';
import { withOwner } from './with-owner.ts';

/** The yield reserve. Nothing moves there by itself. */
export const addYield: AddCommands = ({ group: parent, onCall }) => {
  const group = parent.command('yield').description('the USDC of the vault in the yield reserve');
  addCommand(
    { group, onCall },
    {
      usage: 'show',
      summary: 'show what is deployed and what it has earned',
      options: OWNER_OPTIONS,
      examples: ['owner yield show'],
      input: ownerInput,
      run: (input, context) =>
        withOwner(input, context, async ({ client }) => {
          const position = await client.yieldPosition({ signal: context.signal });
          return done(listOf(entriesOf(position)), position);
        }),
    },
  );
  addCommand(
    { group, onCall },
    {
      usage: 'deposit <amount>',
      summary: 'move USDC from the vault to the reserve',
      options: SIGNING_OPTIONS,
      examples: ['owner yield deposit 2.5'],
      input: signingInput.extend({ amount }),
      run: (input, context) =>
        withOwner(input, context, async (owner) => {
          const { signal } = context;
          const transaction = await owner.client.yieldDeposit({ amount: input.amount }, { signal });
          const what = 'USDC will be deposited in the yield reserve';
          const sent = await signAndSend(transaction, what, { owner, input, context });
          return outcomeOf(sent, 'The USDC is deposited');
        }),
    },
  );
  addCommand(
    { group, onCall },
    {
      usage: 'withdraw <amount>',
      summary: 'move USDC from the reserve back to the vault; all is what the reserve can pay now',
      options: SIGNING_OPTIONS,
      examples: ['owner yield withdraw 1', 'owner yield withdraw all'],
      input: signingInput.extend({ amount: amountOrAll }),
      run: (input, context) =>
        withOwner(input, context, async (owner) => {
          const { signal } = context;
          const transaction = await owner.client.yieldWithdraw(
            { amount: input.amount },
            { signal },
          );
          const what = 'USDC will be withdrawn from the yield reserve';
          const sent = await signAndSend(transaction, what, { owner, input, context });
          return outcomeOf(sent, 'The USDC is back in the vault');
        }),
    },
  );
};

const amountText = (units: bigint | null): string =>
  units === null ? 'not known now' : `${formatUsdc(units)} USDC`;

const entriesOf = (position: WalletYield): readonly (readonly [string, string])[] => [
  ['in the vault', amountText(position.liquid)],
  ['deployed', amountText(position.deployed)],
  ['earned on it', amountText(position.accrued)],
  ['earned in all', amountText(position.earned)],
];
