import { EXIT } from '../cli-error.ts';
import type { Context } from '../command-line/add-command.ts';
import type { Outcome } from '../command-line/outcome.ts';

/**
 * The response of a service: its body on stdout, and on stderr what was paid. With `--json` both are
 * in one value, in which a body that is no text is base64.
 */
export async function responseOutcome(
  response: Response,
  { terminal }: Pick<Context, 'terminal'>,
): Promise<Outcome> {
  const { status, headers } = response;
  const spend_id = headers.get('x-spend-id');
  const tx_signature = headers.get('x-tx-signature');
  const contentType = headers.get('content-type');
  terminal.note(
    spend_id === null
      ? `HTTP ${status}, nothing was paid.`
      : tx_signature === null
        ? `HTTP ${status}, paid with spend ${spend_id}, which the chain does not show yet.`
        : `HTTP ${status}, paid with transaction ${tx_signature}, spend ${spend_id}.`,
  );
  // After the note: a body that breaks off is paid nevertheless.
  const body = new Uint8Array(await response.arrayBuffer());
  const json = { status, content_type: contentType, spend_id, tx_signature, ...bodyOf(body) };
  return { exitCode: status < 400 ? EXIT.done : EXIT.refused, text: body, json };
}

function bodyOf(body: Uint8Array): { readonly body: string } | { readonly body_base64: string } {
  try {
    return { body: new TextDecoder('utf-8', { fatal: true }).decode(body) };
  } catch {
    return { body_base64: Buffer.from(body).toString('base64') };
  }
}
