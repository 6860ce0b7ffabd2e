import { createHmac } from 'node:crypto';
import { hashProgram } from '@agent-wallet/chain';
import { Keypair, PublicKey, SystemProgram } from '@solana/web3.js';
import type { Cluster } from '../chain/cluster.ts';
import { inParallel } from '../chain/in-parallel.ts';
import { call } from '../chain/send.ts';
import { ClusterError } from '../cluster-error.ts';
import {
  BUFFER_HEADER_BYTES,
  initializeBuffer,
  LOADER,
  writeBuffer,
} from './loader-instructions.ts';

/** Fits a transaction of 1232 bytes with two signatures and a price. */
const CHUNK_BYTES = 900;
const AT_ONCE = 8;
const ROUNDS = 5;
/** Of the buffer's authority, behind a tag of four bytes and one byte that says whether there is one. */
const AUTHORITY_OFFSET = 5;

/**
 * Writes a program to a buffer account and returns it. The buffer's key follows from the payer's key
 * and the bytes, so that a run after an interrupted one finds the buffer and writes only what is
 * missing. Throws a ClusterError.
 */
export async function writeProgramBuffer(cluster: Cluster, bytes: Uint8Array): Promise<PublicKey> {
  const { connection, payer, send, say } = cluster;
  const key = bufferKeyOf(payer, bytes);
  const buffer = key.publicKey;
  if ((await readBuffer(cluster, buffer)) === null) {
    const space = BUFFER_HEADER_BYTES + bytes.length;
    const lamports = await call(() => connection.getMinimumBalanceForRentExemption(space));
    const create = SystemProgram.createAccount({
      fromPubkey: payer.publicKey,
      newAccountPubkey: buffer,
      lamports,
      space,
      programId: LOADER,
    });
    await send([create, initializeBuffer(buffer, payer.publicKey)], [key]);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const missing = missingOffsets(await readBuffer(cluster, buffer), bytes);
    if (missing.length === 0) return buffer;
    say(`buffer ${buffer.toBase58()}: ${missing.length} of ${chunksOf(bytes)} chunks to write`);
    await inParallel(missing, AT_ONCE, (offset) =>
      send([
        writeBuffer(buffer, payer.publicKey, offset, bytes.subarray(offset, offset + CHUNK_BYTES)),
      ]),
    );
  }
  throw new ClusterError(
    `The buffer ${buffer.toBase58()} does not take the program: run this again.`,
  );
}

const chunksOf = (bytes: Uint8Array): number => Math.ceil(bytes.length / CHUNK_BYTES);

function bufferKeyOf({ secretKey }: Keypair, bytes: Uint8Array): Keypair {
  const seed = createHmac('sha256', secretKey)
    .update(`agent-wallet program buffer ${hashProgram(bytes)}`)
    .digest();
  return Keypair.fromSeed(seed);
}

/** The authority that may write and deploy the buffer; null for a buffer without authority. */
export async function readBufferAuthority(
  { connection }: Cluster,
  buffer: PublicKey,
): Promise<string | null> {
  const account = await call(() => connection.getAccountInfo(buffer, 'confirmed'));
  const hasAuthority = account?.data[AUTHORITY_OFFSET - 1] === 1;
  if (account === null || !hasAuthority) return null;
  return new PublicKey(account.data.subarray(AUTHORITY_OFFSET, BUFFER_HEADER_BYTES)).toBase58();
}

/** The bytes in the buffer; null when there is none. */
async function readBuffer({ connection }: Cluster, buffer: PublicKey): Promise<Uint8Array | null> {
  const account = await call(() => connection.getAccountInfo(buffer, 'confirmed'));
  return account === null ? null : account.data.subarray(BUFFER_HEADER_BYTES);
}

function missingOffsets(written: Uint8Array | null, bytes: Uint8Array): number[] {
  const offsets = Array.from({ length: chunksOf(bytes) }, (_, index) => index * CHUNK_BYTES);
  return offsets.filter((offset) => {
    const end = Math.min(offset + CHUNK_BYTES, bytes.length);
    const there = Buffer.from(written?.subarray(offset, end) ?? []);
    return !there.equals(bytes.subarray(offset, end));
  });
}
