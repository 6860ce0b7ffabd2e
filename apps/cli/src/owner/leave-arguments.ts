import { CliError } from '../cli-error.ts';
import { parseOptions } from '../parse-options.ts';

/** A parsed `owner leave`. An address or URL that is null comes from the environment. */
export type LeaveCommand = {
  readonly kind: 'owner_leave';
  readonly keypairFile: string;
  readonly rpcUrl: string | null;
  readonly programId: string | null;
  /** Lists what there is and what would be done. */
  readonly isDryRun: boolean;
  /** Receives collateral of the yield reserve instead of redeeming it. */
  readonly inKind: boolean;
};

const OPTIONS = {
  keypair: { type: 'string' },
  rpc: { type: 'string' },
  program: { type: 'string' },
  'dry-run': { type: 'boolean' },
  'collateral-in-kind': { type: 'boolean' },
} as const;

/** Parses the arguments after `owner`. Throws a CliError. */
export function parseOwnerCommand(args: readonly string[]): LeaveCommand {
  const { values, positionals } = parseOptions(args, OPTIONS);
  if (positionals.join(' ') !== 'leave') {
    throw new CliError(`There is no command "${['owner', ...positionals].join(' ')}": try --help.`);
  }
  if (values.keypair === undefined) {
    throw new CliError("--keypair is missing: where is the file with the owner's key?");
  }
  return {
    kind: 'owner_leave',
    keypairFile: values.keypair,
    rpcUrl: values.rpc ?? null,
    programId: values.program ?? null,
    isDryRun: values['dry-run'] ?? false,
    inKind: values['collateral-in-kind'] ?? false,
  };
}
