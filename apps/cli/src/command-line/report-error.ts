import { type AgentWalletError, isAgentWalletError } from '@agent-wallet/sdk';
import { CommanderError } from 'commander';
import { CliError, EXIT, type ExitCode } from '../cli-error.ts';

/** A failed command: a sentence for people, a value for `--json`. */
type ErrorReport = {
  readonly exitCode: ExitCode;
  readonly sentence: string;
  readonly json: { readonly error: string; readonly code: string };
};

/** Describes any thrown value. */
export function reportError(error: unknown): ErrorReport {
  if (error instanceof CliError) return report(error.exitCode, error.message, 'COMMAND');
  if (isAgentWalletError(error)) return reportOfClient(error);
  const causes: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < 4 && current instanceof Error; depth += 1) {
    causes.push(current.message || current.name);
    current = current.cause;
  }
  const sentence = `The command failed: ${causes.join(': ') || String(error)}`;
  return report(EXIT.failed, sentence, 'FAILED');
}

const report = (exitCode: ExitCode, sentence: string, code: string): ErrorReport => ({
  exitCode,
  sentence,
  json: { error: sentence, code },
});

function reportOfClient(error: AgentWalletError): ErrorReport {
  const { details, detail, sentCode } = error;
  const named = error.error === sentCode ? error.error : `${error.error} (${sentCode})`;
  const told = detail === null ? named : `${named}, ${detail}`;
  const remedy = remedyOf(error);
  const sentence = `${firstUpper(told)}${remedy === null ? '' : `: ${remedy}`}`;
  return {
    exitCode: exitCodeOf(error),
    sentence: /[.!?]$/.test(sentence) ? sentence : `${sentence}.`,
    json: { ...details, error: sentence, code: sentCode },
  };
}

/** The words of the SDK's remedies are about calls, not about commands. */
function remedyOf({ code, details, idempotencyKey, remedy }: AgentWalletError): string | null {
  if (code === 'PENDING' && details.spend_id !== undefined) {
    return `look again with "agent-wallet agent spend ${details.spend_id}", and do not pay again before`;
  }
  if (code === 'PENDING' && details.tx_signature !== undefined) {
    return `look again with "agent-wallet owner transaction ${details.tx_signature}"`;
  }
  if (code === 'NO_REPLY' && idempotencyKey !== null) {
    return `whether it was paid is not known; repeat the command with --idempotency-key ${idempotencyKey}, which does not pay twice`;
  }
  if (code === 'SERVICE_DID_NOT_DELIVER' && idempotencyKey !== null) {
    return `repeat the command with --idempotency-key ${idempotencyKey}, which does not pay twice`;
  }
  if (code === 'QUOTED_OVER_MAX') return 'no money moved; raise --max';
  if (code === 'NO_REPLY') return 'check the URL, and try again later';
  if (code === 'ROUTE_NOT_FOUND') return 'this API does not have it, or has it switched off';
  return remedy;
}

function exitCodeOf({ code, status, idempotencyKey }: AgentWalletError): ExitCode {
  if (code === 'PENDING') return EXIT.pending;
  if (code === 'NO_REPLY') return idempotencyKey === null ? EXIT.failed : EXIT.pending;
  if (code === 'INVALID_AMOUNT' || code === 'BAD_REQUEST') return EXIT.failed;
  return status !== null && status >= 500 ? EXIT.failed : EXIT.refused;
}

const firstUpper = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The sentence for a command line that could not be parsed; null where help was shown instead. */
export function usageError(error: CommanderError, words: readonly string[]): CliError | null {
  const { code, message, exitCode } = error;
  if (exitCode === 0 || (code === 'commander.help' && words.length === 0)) return null;
  if (code === 'commander.help' || code === 'commander.unknownCommand') {
    return new CliError(`There is no command "${words.join(' ')}": try --help.`, { cause: error });
  }
  const text = message.replace(/^error: /, '').replaceAll('\n', ' ');
  const [sentence = ''] = text.split('. ');
  return new CliError(`${firstUpper(sentence)}: try --help.`, { cause: error });
}
