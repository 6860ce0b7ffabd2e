import type { Api, HttpOwner } from '../../../support/http/http-owner.ts';
import { type Operation, readOperations } from '../../http/document.ts';

/** The system that odd requests attack. */
export type RequestsWorld = {
  readonly api: Api;
  readonly owner: HttpOwner;
  readonly sessionId: string;
  readonly apiKey: string;
  /** Allowed in the session. */
  readonly recipient: string;
};

/** Returns all operations of the API, with the session's id for every id in their paths. */
export async function listOperations({
  api,
  sessionId,
}: RequestsWorld): Promise<readonly Operation[]> {
  const operations = await readOperations(api);
  return operations.map((one) => ({ ...one, path: one.path.replaceAll(/\{[^}]+\}/g, sessionId) }));
}

/** Returns the headers of a legitimate caller. */
export function credentialsFor(
  { owner, apiKey }: RequestsWorld,
  caller: Operation['caller'],
): Record<string, string> {
  if (caller === 'owner') return { cookie: owner.cookie };
  if (caller === 'agent') return { authorization: `Bearer ${apiKey}`, prefer: 'respond-async' };
  return {};
}
