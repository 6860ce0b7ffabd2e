import { randomUUID } from 'node:crypto';
import { Option } from 'commander';
import { z } from 'zod';
import { CliError, EXIT } from '../cli-error.ts';
import type { Context } from '../command-line/add-command.ts';

export const IDEMPOTENCY_OPTION = new Option(
  '--idempotency-key <key>',
  'a name of this payment: a repeated command with the same key does not pay twice',
);
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, { error: 'must have 1 to 255 visible ASCII characters' })
  .optional();

/**
 * Runs work that pays at most once under its key. When the user interrupts it, the CliError says how
 * to find out whether it was paid.
 */
export async function spendOnce<Result>(
  given: string | undefined,
  { terminal, signal }: Context,
  work: (idempotencyKey: string) => Promise<Result>,
): Promise<Result> {
  const key = given ?? randomUUID();
  try {
    return await terminal.whileWaiting('waiting for the payment', work(key));
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CliError(
      'Interrupted: whether it was paid is not known. Repeat the command with ' +
        `--idempotency-key ${key}, which does not pay twice.`,
      { exitCode: EXIT.pending, cause: error },
    );
  }
}
