import { DEVNET, LOCAL } from '@agent-wallet/sdk/owner';
import { Option } from 'commander';
import { z } from 'zod';
import {
  address,
  amount,
  DEPLOYMENT_OPTIONS,
  httpUrl,
  required,
  TIMEOUT_OPTION,
  timeout,
  url,
  URL_OPTION,
} from '../command-line/inputs.ts';

export const KEYPAIR_OPTION = new Option(
  '--keypair <file>',
  "the file with the owner's key, a JSON list of 64 numbers",
).env('AGENT_WALLET_KEYPAIR');
export const keypair = required("where is the file with the owner's key?");

export const RPC_OPTION = new Option(
  '--rpc <URL>',
  'the RPC node through which transactions are sent',
).env('RPC_URL');
/** The first one where `RPC_URL` names several for the other processes. */
export const rpc = required('give the URL of an RPC node, or set RPC_URL')
  .transform((text) => text.split(',')[0])
  .pipe(httpUrl('give the URL of an RPC node, or set RPC_URL'));

export const YES_OPTION = new Option('-y, --yes', 'sign without a question');

export const amountOrAll = z
  .string()
  .pipe(z.union([z.literal('all'), amount], { error: 'must be all, or an amount such as 0.25' }));

const NETWORKS = { devnet: DEVNET, local: LOCAL } as const;
const NETWORK_OPTION = new Option(
  '--network <name>',
  'whose yield reserve the vault uses: devnet, or local for npm start',
)
  .env('AGENT_WALLET_NETWORK')
  .default('devnet');
/** The reserve that the owner trusts. */
const network = z
  .enum(['devnet', 'local'], { error: 'must be devnet or local' })
  .transform((name) => NETWORKS[name].reserve);

const SITE_OPTION = new Option(
  '--site <host>',
  "host of the owner's page: a sign-in at another one is not signed",
).env('AGENT_WALLET_SITE');
const site = z
  .string()
  .refine((text) => URL.parse(`https://${text}`)?.host === text, {
    error: 'must be a host such as wallet.example.com',
  })
  .optional();

/** What every command of an owner takes. */
export const OWNER_OPTIONS: readonly Option[] = [
  URL_OPTION,
  KEYPAIR_OPTION,
  ...DEPLOYMENT_OPTIONS,
  NETWORK_OPTION,
  SITE_OPTION,
  TIMEOUT_OPTION,
];
export const ownerInput = z.object({
  url,
  keypair,
  program: address,
  mint: address,
  network,
  site,
  timeout,
});
export type OwnerInput = z.output<typeof ownerInput>;

/** What every command takes that signs a transaction. */
export const SIGNING_OPTIONS: readonly Option[] = [...OWNER_OPTIONS, RPC_OPTION, YES_OPTION];
export const signingInput = ownerInput.extend({ rpc });
export type SigningInput = z.output<typeof signingInput>;
