import { decodeAddress } from '@agent-wallet/contract';
import { ed25519 } from '@noble/curves/ed25519.js';
import bs58 from 'bs58';

/** The yield reserve that a program is compiled for. */
export type Reserve = {
  readonly programId: string;
  readonly reserve: string;
  readonly lendingMarket: string;
  readonly lendingMarketAuthority: string;
  readonly liquiditySupply: string;
  readonly collateralMint: string;
};

/** A program, and the mint and the reserve that it is compiled for. */
export type Deployment = {
  readonly programId: string;
  readonly usdcMint: string;
  /** Needed for yield. */
  readonly reserve?: Reserve;
};

/** The beta on devnet. Not read from the API, which must not choose what the owner signs for. */
export const DEVNET: Deployment = {
  programId: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
  usdcMint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  reserve: {
    programId: 'KLend2g3cP87fffoy8q1mQqGKjrxjC8boSyAYavgmjD',
    reserve: 'HRwMj8uuoGVWCanKzKvpTWN5ZvXjtjKGxcFbn2qTPKMW',
    lendingMarket: '6aaNTBEmwdN19AAdTwbNrWyUo6iEyiLguxCTePEzSqoH',
    lendingMarketAuthority: '7Aoc3MHQkYSB5y3g3ipyFKWF2TBsYdvqNWHbQ2btWXJt',
    liquiditySupply: '6icVFmuKEsH5dzDwTSrxzrnJ14N27gDKRc2XAxPtB4ep',
    collateralMint: '6FY2rwh5wWrtSveAG9t9ANc2YsrChNasVSEpMQubJcXd',
  },
};

/** The local system: the same program on a chain of its own, with a stand-in for the reserve. */
export const LOCAL: Deployment = {
  programId: DEVNET.programId,
  usdcMint: DEVNET.usdcMint,
  reserve: {
    programId: 'CQZrTbkk1MwyhHtTG1wqJr8YrVk7oHK8h3E2C3tKgiDD',
    reserve: 'A83aazcpy4f9qrfLbAE4dywEvW2BTx3mVe4QQenKnGBw',
    lendingMarket: 'BKhLABD9EJcxMSNzXzXTVKbahNjP8igE6MaM6kN1Xpzn',
    lendingMarketAuthority: '7HYNJsz555WTgaKSkEcBWNb92de48tAaLw1ysNFnemQB',
    liquiditySupply: 'BqiqRcrcHnrKhsn3Paxmb9caU9eWrh9Q2nZTCiktRmLV',
    collateralMint: 'EVasLwbN5itHxsJGYBksxKunwp357TMPhFX1fEWNMKnS',
  },
};

export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const INSTRUCTIONS_SYSVAR = 'Sysvar1nstructions1111111111111111111111111';
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
