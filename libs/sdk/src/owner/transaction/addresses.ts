import { decodeAddress } from '@agent-wallet/contract';
import { ed25519 } from '@noble/curves/ed25519.js';
import bs58 from 'bs58';

/** A program and the mint that it is compiled for. */
export type Deployment = { readonly programId: string; readonly usdcMint: string };

/** The beta on devnet. Not read from the API, which must not choose what the owner signs for. */
export const DEVNET: Deployment = {
  programId: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
  usdcMint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
};

export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const SYSTEM_PROGRAM = '11111111111111111111111111111111';

/** The addresses of one owner in a deployment. */
export type OwnerAddresses = {
  readonly owner: string;
  readonly ownerUsdcAta: string;
  readonly vault: string;
  readonly vaultUsdcAta: string;
  readonly yieldAuthority: string;
  readonly yieldUsdcAta: string;
  /** The program's signer of its own event calls. */
  readonly eventAuthority: string;
};

const ADDRESS_BYTES = 32;
const MARK = new TextEncoder().encode('ProgramDerivedAddress');
const HIGHEST_BUMP = 255;

/** Throws for text that is not an address. */
export const bytesOf = (text: string): Uint8Array => {
  const bytes = decodeAddress(text);
  if (bytes === null) throw new Error(`${text} is not a base58 address of 32 bytes`);
  return bytes;
};

/** The address of a program for these seeds: the first of 256 hashes that has no private key. */
async function derive(
  programId: string,
  word: string | null,
  ...addresses: readonly string[]
): Promise<string> {
  const seeds = [...new TextEncoder().encode(word ?? ''), ...addresses.flatMap(arrayOf)];
  for (let bump = HIGHEST_BUMP; bump >= 0; bump -= 1) {
    const input = Uint8Array.from([...seeds, bump, ...bytesOf(programId), ...MARK]);
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', input));
    if (!isOnCurve(hash)) return bs58.encode(hash);
  }
  throw new Error('there is no derived address');
}

const arrayOf = (text: string): number[] => [...bytesOf(text)];

/** Whether 32 bytes are a public key, in the loose reading of the chain. */
function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true);
    return bytes.length === ADDRESS_BYTES;
  } catch {
    return false;
  }
}

/** The associated token account of a wallet, of the Token program. */
export const tokenAccountOf = (wallet: string, mint: string): Promise<string> =>
  derive(ASSOCIATED_TOKEN_PROGRAM, null, wallet, TOKEN_PROGRAM, mint);

/** The session of a session key in a vault. */
export const sessionPdaOf = (
  { programId }: Deployment,
  vault: string,
  sessionPubkey: string,
): Promise<string> => derive(programId, 'session', vault, sessionPubkey);

/** Throws for text that is not an address. */
export async function deriveAddresses(
  { programId, usdcMint }: Deployment,
  owner: string,
): Promise<OwnerAddresses> {
  const vault = await derive(programId, 'vault', owner);
  const yieldAuthority = await derive(programId, 'yield', vault);
  return {
    owner,
    ownerUsdcAta: await tokenAccountOf(owner, usdcMint),
    vault,
    vaultUsdcAta: await tokenAccountOf(vault, usdcMint),
    yieldAuthority,
    yieldUsdcAta: await tokenAccountOf(yieldAuthority, usdcMint),
    eventAuthority: await derive(programId, '__event_authority'),
  };
}
