/** The parts of the sign-in text that are constant in a deployment. */
export type SignInSite = {
  /** Origin of the owner's page, for example `https://wallet.example.com`. */
  readonly dashboardOrigin: string;
  /** Name of the chain as wallets know it: `devnet` or `mainnet`. */
  readonly cluster: string;
};

/** Placeholder for the owner's address in the text that the nonce endpoint returns. */
export const PUBKEY_PLACEHOLDER = '{pubkey}';

/**
 * The Sign-In With Solana text for `pubkey` (base58, or the placeholder) and `nonce`.
 *
 * It depends on constants, key and nonce only, because the sign-in request carries nothing else;
 * times are stored with the nonce. ASCII, lines joined by LF, without a final LF.
 */
export function signInMessage(site: SignInSite, pubkey: string, nonce: string): string {
  return [
    `${new URL(site.dashboardOrigin).host} wants you to sign in with your Solana account:`,
    pubkey,
    '',
    'Sign in to Agent Spending Wallet. This does not send a transaction and costs no fee.',
    '',
    `URI: ${site.dashboardOrigin}`,
    'Version: 1',
    `Chain ID: ${site.cluster}`,
    `Nonce: ${nonce}`,
  ].join('\n');
}

const OFF_CHAIN_MARK = Buffer.concat([
  Buffer.from([0xff]),
  Buffer.from('solana offchain', 'ascii'),
]);
const NO_APP_DOMAIN = Buffer.alloc(32);
/** Restricted ASCII and limited UTF-8: devices disagree on the format of a text with line feeds. */
const FORMATS = [0, 1];

/**
 * The byte strings that a wallet may sign for `text`: the text itself, or one of the off-chain
 * message envelopes that Ledger devices require (version 0, its short form, version 1).
 */
export function signedForms(text: string, pubkey: Uint8Array): readonly Buffer[] {
  const body = Buffer.from(text, 'utf8');
  const length = Buffer.alloc(2);
  length.writeUInt16LE(body.length);
  const version0 = FORMATS.map((format) =>
    Buffer.concat([
      OFF_CHAIN_MARK,
      Buffer.from([0]),
      NO_APP_DOMAIN,
      Buffer.from([format, 1]),
      pubkey,
      length,
      body,
    ]),
  );
  const short = FORMATS.map((format) =>
    Buffer.concat([OFF_CHAIN_MARK, Buffer.from([0, format]), length, body]),
  );
  const version1 = Buffer.concat([OFF_CHAIN_MARK, Buffer.from([1, 1]), pubkey, body]);
  return [body, ...version0, ...short, version1];
}
