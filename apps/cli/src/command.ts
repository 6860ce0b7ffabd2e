import { type CatalogCommand, parseCatalogCommand } from './catalog/catalog-arguments.ts';
import { CliError } from './cli-error.ts';
import { type LeaveCommand, parseOwnerCommand } from './owner/leave-arguments.ts';
import { parseOptions } from './parse-options.ts';

/** A parsed command line. */
export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'ops_restored' }
  | { readonly kind: 'audit_verify'; readonly walletId: string | null }
  | CatalogCommand
  | LeaveCommand;

export const USAGE = `usage: agent-wallet audit verify [--wallet <id>]
       agent-wallet catalog add <slug> --url <https URL> --pay-to <address> --max-price <n>
                                [--proof x-payment-proof|x402] [--method GET|POST|…]
                                [--name <text>] [--enabled]
       agent-wallet catalog list
       agent-wallet catalog enable|disable|remove <slug>
       agent-wallet ops restored
       agent-wallet owner leave --keypair <file> [--rpc <URL>] [--program <id>] [--dry-run]
                                [--collateral-in-kind]

  audit verify   recomputes the hash chains of the audit log and compares the log with the spends,
                 the program's events and, with RPC_URL, the chain; names the first difference
  catalog        manages the services that agents may pay by slug: --max-price is the highest price
                 of one call in base units; the default --method is POST with a body, else GET;
                 agents can use an entry once it is enabled
  ops restored   run it after a restore from a copy: closes intake, so that no spend is accepted or
                 signed until every earlier signature has landed or expired; needs RPC_URL
  owner leave    takes everything out of the vault of the owner whose key is in the file, and closes
                 it; needs a node and no service: --dry-run only lists, --collateral-in-kind
                 receives the yield reserve's collateral instead of redeeming it

environment: DATABASE_URL for audit, catalog and ops; PROGRAM_ID for audit, ops and owner; USDC_MINT
             for audit and ops; RPC_URL to read the chain; LOOPBACK_SERVICES permits catalog
             services on this machine, for tests
exit code: 0 done, or everything is equal; 1 something differs or stays; 2 the command failed`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  wallet: { type: 'string' },
} as const;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Parses the arguments after the program's name. Throws a CliError. */
export function parseCommand(args: readonly string[]): Command {
  const isHelp = args.some((arg) => arg === '--help' || arg === '-h');
  if (args[0] === 'catalog' && !isHelp) return parseCatalogCommand(args.slice(1));
  if (args[0] === 'owner' && !isHelp) return parseOwnerCommand(args.slice(1));
  const { values, positionals } = parseOptions(args, OPTIONS);
  if (values.help === true || positionals.length === 0) return { kind: 'help' };
  if (positionals.join(' ') === 'ops restored' && values.wallet === undefined) {
    return { kind: 'ops_restored' };
  }
  if (positionals.join(' ') !== 'audit verify') {
    throw new CliError(`There is no command "${positionals.join(' ')}": try --help.`);
  }
  const walletId = values.wallet ?? null;
  if (walletId !== null && !UUID.test(walletId)) throw new CliError('--wallet takes a wallet id.');
  return { kind: 'audit_verify', walletId };
}
