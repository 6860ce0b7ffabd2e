import { Option } from 'commander';
import { z } from 'zod';
import { addCommand } from '../command-line/add-command.ts';
import { address, DEPLOYMENT_OPTIONS, httpUrl, required } from '../command-line/inputs.ts';
import type { AddCommands } from '../command-line/parse-command-line.ts';
import { KEYPAIR_OPTION, keypair, RPC_OPTION, YES_OPTION } from '../owner/owner-inputs.ts';

const MOST_ENDPOINTS = 8;
const HINT = 'give the URL of an RPC node, or set RPC_URL';

/** Several endpoints are separated by commas, as in `RPC_URL` of the other processes. */
const endpoints = required(HINT)
  .transform((text) => text.split(','))
  .pipe(z.array(httpUrl(HINT)).max(MOST_ENDPOINTS))
  .refine((urls) => new Set(urls).size === urls.length, { error: 'must be different URLs' });

/** `exit`, which needs neither the API nor its database. */
export const addExit: AddCommands = ({ group, onCall }) => {
  addCommand(
    { group, onCall },
    {
      usage: 'exit',
      summary:
        'pause, revoke all sessions, withdraw everything and close the vault; needs only an RPC node',
      options: [
        KEYPAIR_OPTION,
        RPC_OPTION,
        ...DEPLOYMENT_OPTIONS.slice(0, 1),
        new Option('--dry-run', 'only list what there is and what would be done'),
        new Option(
          '--collateral-in-kind',
          "receive the yield reserve's collateral instead of redeeming it",
        ),
        YES_OPTION,
      ],
      examples: [
        'exit --keypair owner.json --rpc https://api.devnet.solana.com --dry-run',
        'exit --keypair owner.json --rpc https://api.devnet.solana.com',
      ],
      input: z.object({
        keypair,
        rpc: endpoints,
        program: address,
        dryRun: z.boolean().default(false),
        collateralInKind: z.boolean().default(false),
      }),
      run: async (input, context) => {
        // The libraries of the chain take a second to load, which no other command needs.
        const { exitCommand } = await import('./exit-command.ts');
        return exitCommand(input, context);
      },
    },
  );
};
