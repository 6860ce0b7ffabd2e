import { fileURLToPath } from 'node:url';
import { type PublicKey, TransactionInstruction } from '@solana/web3.js';
import type { LiteSVM } from 'litesvm';
import { type Call, toInstruction } from './call.ts';
import { addProgram, editData, keypair } from './chain.ts';
import { RESERVE_PROGRAM_ID, reserveAccounts } from './reserve.ts';

/** A foreign program that makes the calls it is given. */
export const RELAY_ID = keypair('relay').publicKey;

const PROGRAM_FILE = fileURLToPath(new URL('../../artifacts/reserve_hostile.so', import.meta.url));
/** Offset of the hostile reserve's calls in the data of the reserve account. */
const CALLS_AT = 6_000;

/** Upgrades the reserve to a program that makes these calls whenever the wallet calls it. */
export function upgradeReserve(svm: LiteSVM, calls: readonly TransactionInstruction[]): void {
  addProgram(svm, RESERVE_PROGRAM_ID, PROGRAM_FILE);
  editData(svm, reserveAccounts.reserve, (data) => void written(calls).copy(data, CALLS_AT));
}

export function addRelay(svm: LiteSVM): void {
  addProgram(svm, RELAY_ID, PROGRAM_FILE);
}

/**
 * A call of the relay that makes these calls in turn. It receives all their accounts and programs
 * and the signatures of `signers`; any further signer flag of a call is the relay's own claim.
 */
export function relayed(
  calls: readonly (Call | TransactionInstruction)[],
  signers: readonly PublicKey[],
): TransactionInstruction {
  const made = calls.map((call) =>
    call instanceof TransactionInstruction ? call : toInstruction(call),
  );
  const metas = made.flatMap(({ keys, programId }) => [
    ...keys,
    { pubkey: programId, isSigner: false, isWritable: false },
  ]);
  const distinct = metas.filter(
    ({ pubkey }, place) => metas.findIndex((one) => one.pubkey.equals(pubkey)) === place,
  );
  const keys = distinct.map(({ pubkey }) => ({
    pubkey,
    isSigner: signers.some((signer) => signer.equals(pubkey)),
    isWritable: metas.some((one) => one.isWritable && one.pubkey.equals(pubkey)),
  }));
  return new TransactionInstruction({ programId: RELAY_ID, keys, data: written(made) });
}

/** Encodes the calls for the hostile program. */
function written(calls: readonly TransactionInstruction[]): Buffer {
  return Buffer.concat([
    Buffer.of(calls.length),
    ...calls.flatMap(({ programId, keys, data }) => [
      programId.toBuffer(),
      Buffer.of(keys.length),
      ...keys.flatMap(({ pubkey, isSigner, isWritable }) => [
        pubkey.toBuffer(),
        Buffer.of((isWritable ? 1 : 0) + (isSigner ? 2 : 0)),
      ]),
      Buffer.of(data.length & 0xff, data.length >> 8),
      data,
    ]),
  ]);
}
