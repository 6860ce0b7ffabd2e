/** Derived addresses, and parsing of base58. */

import { ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';

const ADDRESS_BYTES = 32;
/** 32 bytes are 32 to 44 characters of base58; checked first, because decoding is quadratic. */
const ADDRESS_TEXT = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** A deployment: our program and the mint it was compiled for, both base58. */
export type Deployment = { readonly programId: string; readonly usdcMint: string };

export type Addresses = {
  /** The vault of an owner. */
  vaultPda(owner: string): string;
  /** The session of a session key in a vault. */
  sessionPda(vault: string, sessionPubkey: string): string;
  /** The account that owns a vault's collateral. Payments to it are refused. */
  yieldPda(vault: string): string;
  /** The associated token account of any owner, on the curve or not, for a mint. */
  ata(owner: string, mint: string): string;
  /** The bump of that address: 255 minus the failed tries of the derivation. */
  ataBump(owner: string, mint: string): number;
  /** The associated token account of an owner for USDC. */
  usdcAta(owner: string): string;
  /** The signer of the program's own event calls. */
  readonly eventAuthority: string;
};

/** The 32 bytes of a base58 address; null when the text is not one. */
export function parseAddress(text: string): Uint8Array | null {
  if (!ADDRESS_TEXT.test(text)) return null;
  const bytes = bs58.decodeUnsafe(text);
  return bytes?.length === ADDRESS_BYTES ? bytes : null;
}

/** Whether an address is on the curve, so that it can have a private key. */
export function isOnCurve(address: string): boolean {
  const bytes = parseAddress(address);
  return bytes !== null && PublicKey.isOnCurve(bytes);
}

const derive = (seeds: Uint8Array[], owner: PublicKey): string =>
  PublicKey.findProgramAddressSync(seeds, owner)[0].toBase58();

/** A few hundred bytes each; covers the sessions that one process serves at a time. */
const REMEMBERED = 10_000;

/** A derivation takes a third of a millisecond, and a lane needs the same ones for each spend. */
function remembering<Texts extends readonly string[], T>(
  compute: (...texts: Texts) => T,
): typeof compute {
  const known = new Map<string, T>();
  return (...texts) => {
    const [only = ''] = texts;
    const key = texts.length === 1 ? only : texts.join(' ');
    const found = known.get(key);
    if (found !== undefined) return found;
    const computed = compute(...texts);
    // Evicts the oldest; a lost entry costs only its computation.
    const [oldest] = known.keys();
    if (known.size >= REMEMBERED && oldest !== undefined) known.delete(oldest);
    known.set(key, computed);
    return computed;
  };
}

/** The public key of a base58 address. It knows its text, which is slow to encode. */
export const publicKeyOf = remembering((address: string): PublicKey =>
  Object.assign(new PublicKey(address), { toBase58: () => address }),
);

/** The 32 bytes of a valid base58 address, which are not to be changed. */
export const bytesOfAddress = remembering((address: string): Uint8Array =>
  new PublicKey(address).toBytes(),
);

const encoded = remembering((bytes: string): string => bs58.encode(Buffer.from(bytes, 'latin1')));

/** The base58 address of 32 bytes. */
export const addressOfBytes = (bytes: Uint8Array): string =>
  encoded(Buffer.from(bytes).toString('latin1'));

/** Derivations for one deployment. Each takes valid base58 addresses and throws on other text. */
export function createAddresses({ programId, usdcMint }: Deployment): Addresses {
  const program = new PublicKey(programId);
  const sessionPda = remembering((vault: string, sessionPubkey: string) => {
    const keys = [new PublicKey(vault).toBytes(), new PublicKey(sessionPubkey).toBytes()];
    return derive([Buffer.from('session'), ...keys], program);
  });
  const tokenAccount = remembering((owner: string, mintAddress: string) => {
    const keys = [owner, TOKEN_PROGRAM_ID, mintAddress].map((key) => new PublicKey(key).toBytes());
    const [address, bump] = PublicKey.findProgramAddressSync(keys, ASSOCIATED_TOKEN_PROGRAM_ID);
    return { address: address.toBase58(), bump };
  });
  return {
    vaultPda: (owner) => derive([Buffer.from('vault'), new PublicKey(owner).toBytes()], program),
    sessionPda,
    yieldPda: remembering((vault: string) =>
      derive([Buffer.from('yield'), new PublicKey(vault).toBytes()], program),
    ),
    ata: (owner, mint) => tokenAccount(owner, mint).address,
    ataBump: (owner, mint) => tokenAccount(owner, mint).bump,
    usdcAta: (owner) => tokenAccount(owner, usdcMint).address,
    eventAuthority: derive([Buffer.from('__event_authority')], program),
  };
}
