import { z } from 'zod';
import { CliError, EXIT } from '../cli-error.ts';
import { addCommand, type Context } from '../command-line/add-command.ts';
import { done, type Outcome } from '../command-line/outcome.ts';
import type { AddCommands } from '../command-line/parse-command-line.ts';
import { RPC_OPTION, rpc } from './owner-inputs.ts';

const CALL_MS = 20_000;
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

const reply = z.object({
  result: z.object({
    value: z.tuple([
      z.looseObject({ err: z.unknown(), confirmationStatus: z.string().nullish() }).nullable(),
    ]),
  }),
});

export const addTransaction: AddCommands = (to) => {
  addCommand(to, {
    usage: 'transaction <signature>',
    summary: 'show what became of a transaction that you sent; needs only an RPC node',
    options: [RPC_OPTION],
    examples: ['owner transaction 5Kx…'],
    input: z.object({
      signature: z.string().regex(SIGNATURE, { error: 'must be the signature of a transaction' }),
      rpc,
    }),
    run: async ({ signature, rpc: url }, context) => lookAt(signature, url, context),
  });
};

async function lookAt(signature: string, url: string, { signal }: Context): Promise<Outcome> {
  const params = [[signature], { searchTransactionHistory: true }];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getSignatureStatuses', params });
  const read = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
  })
    .then((response) => response.json())
    .then((json) => reply.parse(json))
    .catch((cause: unknown) => {
      signal.throwIfAborted();
      throw new CliError('The RPC node does not respond: try again later.', { cause });
    });
  const [status] = read.result.value;
  if (status === null || status.confirmationStatus === 'processed') {
    const text =
      'This node does not know a confirmed transaction of this signature. One that is not there two minutes after it was sent can no longer land.';
    return { exitCode: EXIT.pending, text, json: { status: 'unknown', tx_signature: signature } };
  }
  if (status.err === null) {
    const json = { status: 'confirmed', tx_signature: signature };
    return done(`Transaction ${signature} is confirmed.`, json);
  }
  const failure = JSON.stringify(status.err);
  return {
    exitCode: EXIT.refused,
    text: `Transaction ${signature} failed and changed nothing: ${failure}`,
    json: { status: 'failed', tx_signature: signature, error: failure },
  };
}
