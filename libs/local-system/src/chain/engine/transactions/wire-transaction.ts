/**
 * A signed transaction in its wire format. A reader of its own: the client libraries build an
 * object per key and cost more than the execution; and LiteSVM ends the process on malformed bytes,
 * so whatever passes here must be well-formed.
 */

import { addressOf, byteKey } from '../accounts/addresses.ts';
import { createWireReader, MalformedTransaction, type WireReader } from './wire-reader.ts';

/** The largest transaction that fits into a packet. */
const MAX_BYTES = 1_232;
const VERSION_FLAG = 0x80;
const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;

export type WireInstruction = {
  readonly programIdIndex: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
};

/** Addresses that a version 0 message takes from a lookup table, by their index there. */
export type WireLookup = {
  readonly table: string;
  readonly writable: Uint8Array;
  readonly readonly: Uint8Array;
};

export type WireMessage = {
  readonly version: 'legacy' | 0;
  readonly requiredSignatures: number;
  readonly readonlySigned: number;
  readonly readonlyUnsigned: number;
  /** Base58, without those from lookup tables. */
  readonly keys: readonly string[];
  readonly blockhash: Uint8Array;
  readonly instructions: readonly WireInstruction[];
  readonly lookups: readonly WireLookup[];
};

export type WireTransaction = {
  readonly wire: Uint8Array;
  readonly signatures: readonly Uint8Array[];
  /** The first signature as a map key: base58 is not needed to find duplicates. */
  readonly key: string;
  readonly message: WireMessage;
};

/**
 * Whether a message may change the account with this index. The accounts from lookup tables follow
 * its own, the writable ones first.
 */
export function isWritable(message: WireMessage, index: number, loadedWritable: number): boolean {
  const { keys, requiredSignatures, readonlySigned, readonlyUnsigned } = message;
  if (index < requiredSignatures) return index < requiredSignatures - readonlySigned;
  if (index < keys.length) return index < keys.length - readonlyUnsigned;
  return index < keys.length + loadedWritable;
}

/** Parses a transaction; throws MalformedTransaction. */
export function parseTransaction(wire: Uint8Array): WireTransaction {
  if (wire.length > MAX_BYTES) {
    throw new MalformedTransaction(`${wire.length} bytes are more than ${MAX_BYTES}`);
  }
  const reader = createWireReader(wire);
  const signatures = reader.list(() => reader.take(SIGNATURE_BYTES));
  const message = readMessage(reader);
  if (reader.offset !== wire.length) throw new MalformedTransaction('bytes follow the message');
  const [first] = signatures;
  if (first === undefined) throw new MalformedTransaction('there is no signature');
  if (signatures.length !== message.requiredSignatures) {
    throw new MalformedTransaction('signatures are missing or too many');
  }
  return { wire, signatures, key: byteKey(first), message };
}

/** Parses a message without signatures; throws MalformedTransaction. */
export function parseMessage(bytes: Uint8Array): WireMessage {
  const reader = createWireReader(bytes);
  const message = readMessage(reader);
  if (reader.offset !== bytes.length) throw new MalformedTransaction('bytes follow the message');
  return message;
}

function readMessage(reader: WireReader): WireMessage {
  const first = reader.byte();
  const isVersioned = (first & VERSION_FLAG) !== 0;
  if (isVersioned && first !== VERSION_FLAG) {
    throw new MalformedTransaction(`version ${first & ~VERSION_FLAG} is not supported`);
  }
  const requiredSignatures = isVersioned ? reader.byte() : first;
  const readonlySigned = reader.byte();
  const readonlyUnsigned = reader.byte();
  const keys = reader.list(() => addressOf(reader.take(KEY_BYTES)));
  const blockhash = reader.take(KEY_BYTES);
  const instructions = reader.list(() => readInstruction(reader));
  const lookups = isVersioned ? reader.list(() => readLookup(reader)) : [];
  const message: WireMessage = {
    version: isVersioned ? 0 : 'legacy',
    requiredSignatures,
    readonlySigned,
    readonlyUnsigned,
    keys,
    blockhash,
    instructions,
    lookups,
  };
  checkIndices(message);
  return message;
}

function readInstruction(reader: WireReader): WireInstruction {
  return {
    programIdIndex: reader.byte(),
    accounts: reader.take(reader.compactLength()),
    data: reader.take(reader.compactLength()),
  };
}

function readLookup(reader: WireReader): WireLookup {
  return {
    table: addressOf(reader.take(KEY_BYTES)),
    writable: reader.take(reader.compactLength()),
    readonly: reader.take(reader.compactLength()),
  };
}

/** The rules that a node calls sanitising. */
function checkIndices(message: WireMessage): void {
  const { keys, requiredSignatures, readonlySigned, readonlyUnsigned, lookups } = message;
  if (requiredSignatures === 0 || readonlySigned >= requiredSignatures) {
    throw new MalformedTransaction('the fee payer is not a writable signer');
  }
  if (requiredSignatures + readonlyUnsigned > keys.length) {
    throw new MalformedTransaction('the header names more accounts than there are');
  }
  const loaded = lookups.reduce((sum, one) => sum + one.writable.length + one.readonly.length, 0);
  const accountCount = keys.length + loaded;
  for (const { programIdIndex, accounts } of message.instructions) {
    if (programIdIndex === 0 || programIdIndex >= keys.length) {
      throw new MalformedTransaction('an instruction names a program that is not listed');
    }
    if (accounts.some((index) => index >= accountCount)) {
      throw new MalformedTransaction('an instruction names an account that is not listed');
    }
  }
}
