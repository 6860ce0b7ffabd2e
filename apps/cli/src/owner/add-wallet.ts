import { formatUsdc, type Wallet } from '@agent-wallet/sdk/owner';
import { Option } from 'commander';
import { z } from 'zod';
import { addCommand } from '../command-line/add-command.ts';
import { done } from '../command-line/outcome.ts';
import type { AddCommands } from '../command-line/parse-command-line.ts';
import { listOf } from '../terminal/table.ts';
import { percentOf } from './describe-instruction.ts';
import { OWNER_OPTIONS, ownerInput, SIGNING_OPTIONS, signingInput } from './owner-inputs.ts';
import { outcomeOf, signAndSend } from './sign-and-send.ts';
import { withOwner } from './with-owner.ts';

const ALL_BP = 10_000;

/** A percentage with at most two decimals, as basis points. */
const percentage = z
  .string()
  .refine((text) => /^\d{1,3}(\.\d{1,2})?$/.test(text) && Number(text) <= 100, {
    error: 'must be a percentage from 0 to 100, with at most two decimals',
  })
  .transform((text) => Math.round((Number(text) / 100) * ALL_BP));

export const addWallet: AddCommands = ({ group: parent, onCall }) => {
  const group = parent.command('wallet').description('the wallet and its vault on chain');
  addCommand(
    { group, onCall },
    {
      usage: 'create',
      summary: 'create the vault; USDC can be sent to it afterwards',
      options: [
        new Option(
          '--max-deployed <percent>',
          'the maximum deployed share: how much of the balance may be in the yield reserve',
        ).default('0'),
        ...SIGNING_OPTIONS,
      ],
      examples: ['owner wallet create --keypair owner.json'],
      input: signingInput.extend({ maxDeployed: percentage }),
      run: (input, context) =>
        withOwner(input, context, async (owner) => {
          const { signal } = context;
          const settings = { max_deployed_fraction_bp: input.maxDeployed };
          const { transaction, ...created } = await owner.client.createWallet(settings, { signal });
          const deps = { owner, input, context };
          const sent = await signAndSend(transaction, 'A vault will be created', deps);
          return outcomeOf(sent, 'The vault is created', {
            text: [
              `vault            ${created.vaultPda}`,
              `deposit address  ${created.vaultUsdcAta}`,
            ],
            json: created,
          });
        }),
    },
  );
  addCommand(
    { group, onCall },
    {
      usage: 'show',
      summary: 'show the balance and the state of the vault',
      options: OWNER_OPTIONS,
      examples: ['owner wallet show --keypair owner.json', 'owner wallet show --json'],
      input: ownerInput,
      run: (input, context) =>
        withOwner(input, context, async ({ client }) => {
          const wallet = await client.wallet({ signal: context.signal });
          return done(listOf(entriesOf(wallet)), wallet);
        }),
    },
  );
  addCommand(
    { group: parent, onCall },
    {
      usage: 'deposit-address',
      summary: 'show where to send USDC; the address was compared with the derived one',
      options: OWNER_OPTIONS,
      examples: ['owner deposit-address --keypair owner.json'],
      input: ownerInput,
      run: (input, context) =>
        withOwner(input, context, async ({ client }) => {
          const deposit = await client.depositAddress({ signal: context.signal });
          return done(deposit.address, deposit);
        }),
    },
  );
};

const entriesOf = (wallet: Wallet): readonly (readonly [string, string])[] => [
  ['wallet', wallet.wallet_id],
  ['owner', wallet.owner],
  ['vault', wallet.vaultPda],
  ['deposit address', wallet.vaultUsdcAta],
  ['status', `${wallet.status}${wallet.paused ? ', paused' : ''}`],
  [
    'in the vault',
    wallet.liquid === null ? 'not readable now' : `${formatUsdc(wallet.liquid)} USDC`,
  ],
  ['in the reserve', `${formatUsdc(wallet.deployed_amount)} USDC deployed`],
  ['maximum deployed share', percentOf(wallet.max_deployed_fraction_bp)],
];
