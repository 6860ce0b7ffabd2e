import type { OwnerTransaction, Session } from '@agent-wallet/sdk/owner';
import { CliError } from '../../cli-error.ts';
import { addCommand, type Context } from '../../command-line/add-command.ts';
import { amount, uuid } from '../../command-line/inputs.ts';
import type { Outcome } from '../../command-line/outcome.ts';
import type { AddCommands } from '../../command-line/parse-command-line.ts';
import { SIGNING_OPTIONS, type SigningInput, signingInput } from '../owner-inputs.ts';
import { outcomeOf, signAndSend } from '../sign-and-send.ts';
import { type SignedInOwner, withOwner } from '../with-owner.ts';
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

const ID = '0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6071';

/** Limits, recipients and the end of a session. */
export const addChanges: AddCommands = (to) => {
  addCommand(to, {
    usage: 'limits <id>',
    summary: 'change limits of a session; those that you leave out stay as the API shows them',
    options: [
      MAX_PER_TX_OPTION,
      DAILY_CAP_OPTION,
      HOURS_OPTION,
      newAllowOption(),
      ...SIGNING_OPTIONS,
    ],
    examples: [`owner session limits ${ID} --daily-cap 10 --hours 48`],
    input: signingInput.extend({
      id: uuid,
      maxPerTx: amount.optional(),
      dailyCap: amount.optional(),
      hours: hours.optional(),
      allow: allow.optional(),
    }),
    run: (input, context) => {
      const { maxPerTx, dailyCap, hours: expiry, allow: kinds } = input;
      if ([maxPerTx, dailyCap, expiry, kinds].every((given) => given === undefined)) {
        throw new CliError(
          'Give a limit to change: --max-per-tx, --daily-cap, --hours or --allow.',
        );
      }
      return change(input, context, 'will get these limits', ({ client }, session) => {
        const limits = {
          max_per_tx: maxPerTx ?? session.max_per_tx,
          daily_cap: dailyCap ?? session.daily_cap,
          expiry: expiry ?? session.expiry,
          allowed_instructions: kinds ?? session.allowed_instructions,
        };
        return client.changeLimits(session, limits, { signal: context.signal });
      });
    },
  });
  addCommand(to, {
    usage: 'recipients <id>',
    summary: 'replace the list of those whom a session may pay; without --recipient it is emptied',
    options: [RECIPIENT_OPTION, ...SIGNING_OPTIONS],
    examples: [`owner session recipients ${ID} --recipient <address> <address>`],
    input: signingInput.extend({ id: uuid, recipient: recipients.default([]) }),
    run: (input, context) =>
      change(input, context, 'will get these recipients', ({ client }, session) =>
        client.changeRecipients(session, input.recipient, { signal: context.signal }),
      ),
  });
  addCommand(to, {
    usage: 'revoke <id>',
    summary: 'end a session for good',
    options: SIGNING_OPTIONS,
    examples: [`owner session revoke ${ID}`],
    input: signingInput.extend({ id: uuid }),
    run: (input, context) =>
      change(input, context, 'will be revoked', ({ client }, session) =>
        client.revoke(session, { signal: context.signal }),
      ),
  });
};

/** Reads the session by its id, and has its change signed and sent. */
function change(
  input: SigningInput & { readonly id: string },
  context: Context,
  what: string,
  build: (owner: SignedInOwner, session: Session) => Promise<OwnerTransaction>,
): Promise<Outcome> {
  return withOwner(input, context, async (owner) => {
    const session = await owner.client.session(input.id, { signal: context.signal });
    if (session.session_id !== input.id) throw new CliError('The API returned another session.');
    const transaction = await build(owner, session);
    const words = `Session ${session.session_id} ${what}`;
    const sent = await signAndSend(transaction, words, { owner, input, context });
    const { session_id } = session;
    return outcomeOf(sent, `Session ${session_id} is changed`, { json: { session_id } });
  });
}
