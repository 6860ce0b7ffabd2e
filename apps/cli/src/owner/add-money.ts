import { Option } from 'commander';
import { addCommand } from '../command-line/add-command.ts';
import { address } from '../command-line/inputs.ts';
import type { AddCommands } from '../command-line/parse-command-line.ts';
import { amountOrAll, SIGNING_OPTIONS, signingInput } from './owner-inputs.ts';
import { outcomeOf, signAndSend } from './sign-and-send.ts';
import { addTransaction } from './add-transaction.ts';
import { withOwner } from './with-owner.ts';

/** Pause, resume, withdraw, and a look at what was sent. */
export const addMoney: AddCommands = ({ group, onCall }) => {
  for (const [usage, summary, what, doneText] of [
    [
      'pause',
      'let no session spend until you resume',
      'The vault will be paused',
      'The vault is paused',
    ],
    [
      'resume',
      'let live sessions spend again',
      'The vault will be resumed',
      'The vault is resumed',
    ],
  ] as const) {
    addCommand(
      { group, onCall },
      {
        usage,
        summary,
        options: SIGNING_OPTIONS,
        examples: [`owner ${usage} --keypair owner.json`],
        input: signingInput,
        run: (input, context) =>
          withOwner(input, context, async (owner) => {
            const transaction = await owner.client[usage]({ signal: context.signal });
            const sent = await signAndSend(transaction, what, { owner, input, context });
            return outcomeOf(sent, doneText);
          }),
      },
    );
  }
  addCommand(
    { group, onCall },
    {
      usage: 'withdraw <amount>',
      summary: 'withdraw USDC, or all, from the vault to your own token account',
      options: [
        new Option(
          '--destination <address>',
          'another USDC token account of yours; by default the associated one, created if missing',
        ),
        ...SIGNING_OPTIONS,
      ],
      examples: ['owner withdraw 2.5 --keypair owner.json', 'owner withdraw all --yes'],
      input: signingInput.extend({ amount: amountOrAll, destination: address.optional() }),
      run: (input, context) =>
        withOwner(input, context, async (owner) => {
          const { amount: units, destination } = input;
          const transaction = await owner.client.withdraw(
            { amount: units, ...(destination === undefined ? {} : { destination }) },
            { signal: context.signal },
          );
          const to = destination === undefined ? '' : ` to ${destination}`;
          const what = `USDC will be withdrawn${to}`;
          const sent = await signAndSend(transaction, what, { owner, input, context });
          return outcomeOf(sent, 'The USDC is withdrawn');
        }),
    },
  );
  addTransaction({ group, onCall });
};
