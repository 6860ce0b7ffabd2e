import { isAgentWalletError, type OwnerTransaction } from '@agent-wallet/sdk/owner';
import { EXIT } from '../cli-error.ts';
import type { Context } from '../command-line/add-command.ts';
import type { Outcome } from '../command-line/outcome.ts';
import { describeInstruction } from './describe-instruction.ts';
import type { SigningInput } from './owner-inputs.ts';
import type { SignedInOwner } from './with-owner.ts';

/** A transaction that was sent. */
export type Sent = {
  readonly status: 'confirmed' | 'pending';
  readonly tx_signature: string;
};

/**
 * Shows what a transaction does, asks, sends it and waits. `what` names what the instructions do not:
 * which session, which account. Throws a CliError when the user declines, and an `AgentWalletError`
 * when the chain refuses it.
 */
export async function signAndSend(
  transaction: OwnerTransaction,
  what: string,
  deps: {
    readonly owner: SignedInOwner;
    readonly input: Pick<SigningInput, 'rpc' | 'timeout'>;
    readonly context: Context;
  },
): Promise<Sent> {
  const { owner, input, context } = deps;
  const { terminal, signal } = context;
  await terminal.agree([
    `${what}. With the key of ${owner.address} this will be signed, and sent to ${hostOf(input.rpc)}:`,
    ...transaction.instructions.map((instruction) => `  ${describeInstruction(instruction)}`),
  ]);
  try {
    const sending = transaction.sendAndConfirm({ signal, timeoutMs: input.timeout });
    const { tx_signature } = await terminal.whileWaiting('waiting for the chain', sending);
    return { status: 'confirmed', tx_signature };
  } catch (error) {
    const signature = owner.lastSignature();
    const isUnknown = signal.aborted || isAgentWalletError(error, 'PENDING');
    if (!isUnknown || signature === null) throw error;
    return { status: 'pending', tx_signature: signature };
  }
}

/** The URL of a node can hold a key. */
const hostOf = (url: string): string => new URL(url).host;

/** The outcome of a command that sends one transaction. */
export function outcomeOf(
  sent: Sent,
  done: string,
  more: { readonly text?: readonly string[]; readonly json?: object } = {},
): Outcome {
  const json = { ...sent, ...more.json };
  const rest = more.text ?? [];
  if (sent.status === 'confirmed') {
    const text = [`${done}. Transaction ${sent.tx_signature} is confirmed.`, ...rest].join('\n');
    return { exitCode: EXIT.done, text, json };
  }
  const look = [
    `The outcome of transaction ${sent.tx_signature} is not known yet. Before you run the command again, look with`,
    `agent-wallet owner transaction ${sent.tx_signature}`,
  ];
  return { exitCode: EXIT.pending, text: [...look, ...rest].join('\n'), json };
}
