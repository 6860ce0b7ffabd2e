import { deflateSync, inflateSync } from 'node:zlib';
import { Keypair, type PublicKey, SystemProgram } from '@solana/web3.js';
import type { Cluster } from '../chain/cluster.ts';
import { inParallel } from '../chain/in-parallel.ts';
import { call } from '../chain/send.ts';
import { ClusterError } from '../cluster-error.ts';
import { readProgram } from '../loader/read-program.ts';
import {
  allocateBuffer,
  allocateIdl,
  closeBuffer,
  idlAddressOf,
  initializeIdl,
  METADATA_HEADER_BYTES,
  METADATA_PROGRAM,
  setBufferAuthority,
  setIdl,
  writeData,
} from './metadata-instructions.ts';

const CHUNK_BYTES = 900;
const AT_ONCE = 8;
/** The most that an account grows in one instruction; an IDL of ours has half of it. */
const MAX_BYTES = 10_240;
const METADATA_TAG = 2;
const DATA_LENGTH_OFFSET = 87;
const MAX_IDL_BYTES = 1_000_000;

/**
 * Publishes the IDL of a program as its canonical metadata, where Anchor's tools and explorers look.
 * The payer must be the upgrade authority. It reads the state first, so it can be run again. Returns
 * the address, and whether anything had to change. Throws a ClusterError.
 */
export async function publishIdl(
  cluster: Cluster,
  program: PublicKey,
  idl: string,
): Promise<{ readonly address: string; readonly isChanged: boolean }> {
  const { connection, payer } = cluster;
  const address = idlAddressOf(program);
  const outcome = (isChanged: boolean) => ({ address: address.toBase58(), isChanged });
  const found = await readProgram(cluster, program);
  const authority = payer.publicKey;
  if (found?.authority !== authority.toBase58()) {
    throw new ClusterError(
      `The IDL is published by the upgrade authority, ${found?.authority ?? 'of which there is none'}: do it before handing that over.`,
    );
  }
  if ((await call(() => connection.getAccountInfo(METADATA_PROGRAM))) === null) {
    throw new ClusterError('The Program Metadata program does not exist on this chain.');
  }
  const packed = packIdl(idl);
  const owned = { program, authority };
  const account = await call(() => connection.getAccountInfo(address, 'confirmed'));
  if (account?.data[0] === METADATA_TAG) {
    if (unpackIdl(account.data) === idl) return outcome(false);
    await replace(cluster, owned, packed, account.data.length);
  } else {
    await create(cluster, owned, packed, account?.data.length ?? 0);
  }
  const now = await call(() => connection.getAccountInfo(address, 'confirmed'));
  if (now === null || unpackIdl(now.data) !== idl) {
    throw new ClusterError('The chain has another IDL than the one that was published.');
  }
  return outcome(true);
}

type Owned = Parameters<typeof setIdl>[0];

/**
 * Compressed, because rent is paid for each byte. Throws a ClusterError for one that is too long.
 *
 * @internal exported for its test
 */
export function packIdl(idl: string): Uint8Array {
  const packed = deflateSync(idl, { level: 9 });
  if (packed.length <= MAX_BYTES) return packed;
  throw new ClusterError(
    `The IDL has ${packed.length} bytes compressed, and ${MAX_BYTES} are possible.`,
  );
}

/**
 * The IDL in a metadata account; null when it is in no form of ours.
 *
 * @internal exported for its test
 */
export function unpackIdl(data: Uint8Array): string | null {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (bytes.length < METADATA_HEADER_BYTES) return null;
  const end = METADATA_HEADER_BYTES + bytes.readUInt32LE(DATA_LENGTH_OFFSET);
  try {
    const packed = bytes.subarray(METADATA_HEADER_BYTES, end);
    return inflateSync(packed, { maxOutputLength: MAX_IDL_BYTES }).toString('utf8');
  } catch {
    return null;
  }
}

async function create(
  cluster: Cluster,
  owned: Owned,
  packed: Uint8Array,
  allocated: number,
): Promise<void> {
  const address = idlAddressOf(owned.program);
  await payRent(cluster, address, packed.length);
  if (allocated === 0) await cluster.send([allocateIdl(owned)]);
  await writeAll(cluster, address, packed);
  await cluster.send([initializeIdl(owned)]);
}

/** Through a buffer, so that the old IDL stays readable until the new one is complete. */
async function replace(
  cluster: Cluster,
  owned: Owned,
  packed: Uint8Array,
  oldLength: number,
): Promise<void> {
  const { connection, payer, send } = cluster;
  const key = Keypair.generate();
  const buffer = key.publicKey;
  const space = METADATA_HEADER_BYTES + packed.length;
  const lamports = await call(() => connection.getMinimumBalanceForRentExemption(space));
  const made = SystemProgram.createAccount({
    fromPubkey: payer.publicKey,
    newAccountPubkey: buffer,
    lamports,
    space,
    programId: METADATA_PROGRAM,
  });
  await send([made, allocateBuffer(buffer), setBufferAuthority(buffer, payer.publicKey)], [key]);
  await writeAll(cluster, buffer, packed);
  if (space > oldLength) await payRent(cluster, idlAddressOf(owned.program), packed.length);
  await send([setIdl(owned, buffer), closeBuffer(buffer, payer.publicKey)]);
}

/** Sends what the account lacks of the rent for so many bytes of data. */
async function payRent(
  { connection, payer, send }: Cluster,
  address: PublicKey,
  bytes: number,
): Promise<void> {
  const space = METADATA_HEADER_BYTES + bytes;
  const [needed, held] = await Promise.all([
    call(() => connection.getMinimumBalanceForRentExemption(space)),
    call(() => connection.getBalance(address, 'confirmed')),
  ]);
  if (held >= needed) return;
  const lamports = needed - held;
  await send([
    SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: address, lamports }),
  ]);
}

async function writeAll(
  { payer, send }: Cluster,
  account: PublicKey,
  bytes: Uint8Array,
): Promise<void> {
  const write = (offset: number) =>
    send([
      writeData(account, payer.publicKey, offset, bytes.subarray(offset, offset + CHUNK_BYTES)),
    ]);
  const offsets = Array.from(
    { length: Math.ceil(bytes.length / CHUNK_BYTES) },
    (_, index) => index * CHUNK_BYTES,
  );
  await inParallel(offsets, AT_ONCE, write);
}
