import { AgentWalletError } from '../http/agent-wallet-error.ts';

/** The text of a sign-in: printable ASCII, so that no signature of it is one of a transaction. */
const TEXT =
  /^(?<host>[!-~]+) wants you to sign in with your Solana account:\n(?<address>[1-9A-HJ-NP-Za-km-z]{32,44})\n\n[ -~]+\n\nURI: (?<uri>https?:\/\/[!-~]+)\nVersion: 1\nChain ID: [a-z]+\nNonce: (?<nonce>[0-9a-f]{32})$/;

/**
 * The text that the owner signs for a nonce. Throws `SIGN_IN_MISMATCH` unless it is a sign-in of this
 * owner, with this nonce, at one site, which is `site` where that is given, and nothing else.
 */
export function signInText(
  { message, nonce }: { readonly message: string; readonly nonce: string },
  { owner, site }: { readonly owner: string; readonly site: string | undefined },
): string {
  const text = message.replace('{pubkey}', owner);
  const found = TEXT.exec(text)?.groups;
  const isOurs =
    found?.['address'] === owner &&
    found['nonce'] === nonce &&
    URL.parse(found['uri'] ?? '')?.host === found['host'];
  if (!isOurs) throw mismatch('is not a sign-in of this owner');
  // An API can pass on the nonce of another one, whose cookie it would get for the signature.
  if (site !== undefined && found['host'] !== site) {
    throw mismatch(`is a sign-in at ${found['host']}, expected ${site}`);
  }
  return text;
}

const mismatch = (what: string): AgentWalletError =>
  new AgentWalletError({ code: 'SIGN_IN_MISMATCH', error: `the text to sign ${what}` });
