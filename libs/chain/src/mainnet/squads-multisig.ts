/**
 * Multisig accounts of Squads v4. The three things that are needed of it are written here, because
 * its package brings 30 others; the tests compare with bytes that the package made.
 */

import { PublicKey } from '@solana/web3.js';
import { addressOfBytes, publicKeyOf } from '../program/addresses.ts';
import type { AccountSnapshot } from '../rpc/read/chain-reads.ts';

export const SQUADS_PROGRAM = 'SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf';

/** The first 8 bytes of SHA-256 of `account:Multisig`. */
const DISCRIMINATOR = 'e07479ba44a14fec';
/** Up to the option of the account that gets the rent back. */
const FIXED_BYTES = 8 + 32 + 32 + 2 + 4 + 8 + 8 + 1;
const ADDRESS_BYTES = 32;
const MEMBER_BYTES = 33;
const MAY_VOTE = 2;

export type SquadsMultisig = {
  /** Votes that a transaction needs. */
  readonly threshold: number;
  /** Members that may vote. */
  readonly voters: number;
  /** Who may change members and threshold alone; null when only the members' votes can. */
  readonly configAuthority: string | null;
};

/** The account of the multisig that was made with this key. */
export const multisigAddress = (createKey: string): string =>
  derive(Buffer.from('multisig'), publicKeyOf(createKey).toBytes());

/** The address that signs for the multisig in a transaction that its members approved. */
export const vaultOfMultisig = (multisig: string, index = 0): string =>
  derive(publicKeyOf(multisig).toBytes(), Buffer.from('vault'), Uint8Array.of(index));

const derive = (...seeds: readonly Uint8Array[]): string =>
  PublicKey.findProgramAddressSync(
    [Buffer.from('multisig'), ...seeds],
    publicKeyOf(SQUADS_PROGRAM),
  )[0].toBase58();

/** Reads a multisig; null when the account is none of Squads v4 or not at its derived address. */
export function parseMultisig({ address, owner, data }: AccountSnapshot): SquadsMultisig | null {
  if (owner !== SQUADS_PROGRAM || data.length < FIXED_BYTES + 5) return null;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (bytes.subarray(0, 8).toString('hex') !== DISCRIMINATOR) return null;
  if (multisigAddress(addressOfBytes(data.subarray(8, 40))) !== address) return null;
  const configAuthority = addressOfBytes(data.subarray(40, 72));
  const rentCollectorBytes = bytes[FIXED_BYTES - 1] === 0 ? 0 : ADDRESS_BYTES;
  const members = FIXED_BYTES + rentCollectorBytes + 1;
  if (data.length < members + 4) return null;
  const count = bytes.readUInt32LE(members);
  if (data.length < members + 4 + count * MEMBER_BYTES) return null;
  let voters = 0;
  for (let n = 0; n < count; n += 1) {
    const permissions = bytes[members + 4 + n * MEMBER_BYTES + ADDRESS_BYTES] ?? 0;
    if ((permissions & MAY_VOTE) !== 0) voters += 1;
  }
  return {
    threshold: bytes.readUInt16LE(72),
    voters,
    configAuthority: configAuthority === PublicKey.default.toBase58() ? null : configAuthority,
  };
}
