import { AgentWalletError } from './agent-wallet-error.ts';

/** Reads an option that is an http or https URL; throws `BAD_REQUEST` with its name otherwise. */
export function readUrl(text: string, field: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw badRequest(`${field} must be an http or https URL`);
  }
  url.hash = '';
  return url;
}

/** A call that the client cannot send as it is. */
export const badRequest = (error: string): AgentWalletError =>
  new AgentWalletError({ code: 'BAD_REQUEST', error });
