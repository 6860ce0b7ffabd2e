import { addCommand } from '../../command-line/add-command.ts';
import { amount } from '../../command-line/inputs.ts';
import { CliError } from '../../cli-error.ts';
import type { AddCommands } from '../../command-line/parse-command-line.ts';
import { SIGNING_OPTIONS, signingInput } from '../owner-inputs.ts';
import { outcomeOf, signAndSend } from '../sign-and-send.ts';
import { withOwner } from '../with-owner.ts';
import { KEY_FILE_OPTION, openKeyOutput } from './key-file.ts';
import {
  allow,
  DAILY_CAP_OPTION,
  hours,
  HOURS_OPTION,
  MAX_PER_TX_OPTION,
  newAllowOption,
  RECIPIENT_OPTION,
  recipients,
} from './limit-inputs.ts';
import { z } from 'zod';

export const addCreate: AddCommands = (to) => {
  addCommand(to, {
    usage: 'create',
    summary: 'create a session with a new key for an agent, which is shown once',
    options: [
      MAX_PER_TX_OPTION,
      DAILY_CAP_OPTION,
      HOURS_OPTION,
      RECIPIENT_OPTION,
      newAllowOption().default('transfer'),
      KEY_FILE_OPTION,
      ...SIGNING_OPTIONS,
    ],
    examples: [
      'owner session create --max-per-tx 1 --daily-cap 5 --hours 24 --recipient <address> --key-file agent.key',
    ],
    input: signingInput.extend({
      maxPerTx: amount,
      dailyCap: amount,
      hours,
      recipient: recipients.default([]),
      allow,
      keyFile: z.string().optional(),
    }),
    run: (input, context) =>
      withOwner(input, context, async (owner) => {
        const { signal } = context;
        using keyOutput = openKeyOutput(input.keyFile);
        const { wallet_id } = await owner.client.wallet({ signal });
        const { transaction, api_key, session_index, ...created } =
          await owner.client.createSession(
            {
              wallet_id,
              max_per_tx: input.maxPerTx,
              daily_cap: input.dailyCap,
              expiry: input.hours,
              allowed_recipients: input.recipient,
              allowed_instructions: input.allow,
            },
            { signal },
          );
        if (transaction === null || api_key === null) {
          throw new CliError('The API returned a session without a transaction: try again.');
        }
        const sent = await signAndSend(transaction, 'A session will be created', {
          owner,
          input,
          context,
        });
        // Also where the outcome is unknown: the key is not shown again.
        const key = keyOutput.write(api_key);
        const index = session_index === null ? null : Number(session_index);
        return outcomeOf(sent, 'The session is created', {
          text: [`session  ${created.session_id}`, `key      ${key}`],
          json: {
            ...created,
            session_index: index,
            ...(keyOutput.isFile ? { key_file: input.keyFile } : { api_key }),
          },
        });
      }),
  });
};
