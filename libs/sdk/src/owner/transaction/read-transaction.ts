import { type ByteReader, readBytes } from './byte-reader.ts';
import { mismatch } from './mismatch.ts';

/** An account of a message, with the rights that the message gives to its instructions. */
export type MessageAccount = {
  readonly address: string;
  readonly isSigner: boolean;
  readonly isWritable: boolean;
};

export type MessageInstruction = {
  readonly programId: string;
  /** In the order of the instruction. */
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
};

/** The first account is the fee payer. */
export type ReadTransaction = {
  readonly accounts: readonly MessageAccount[];
  readonly instructions: readonly MessageInstruction[];
};

const SIGNATURE_BYTES = 64;
/** The first bit of a message that is not of the legacy form. */
const VERSIONED = 0x80;

/** A transaction with one signature. */
export type ReadSignedTransaction = ReadTransaction & {
  readonly signature: Uint8Array;
  /** The bytes that are signed. */
  readonly message: Uint8Array;
  /** Base58. */
  readonly blockhash: string;
};

/**
 * Reads an unsigned transaction in its one valid form: a legacy message, which cannot name address
 * lookup tables, with one empty signature. Throws `TRANSACTION_MISMATCH` for any other bytes.
 */
export function readTransaction(bytes: Uint8Array): ReadTransaction {
  const { signature, accounts, instructions } = readSignedTransaction(bytes);
  if (signature.some((byte) => byte !== 0)) throw mismatch('signatures', 'has one already');
  return { accounts, instructions };
}

/** Reads a transaction of the same form that has, or lacks, its signature. */
export function readSignedTransaction(bytes: Uint8Array): ReadSignedTransaction {
  const reader = readBytes(bytes, 'the transaction');
  const signatures = reader.length();
  if (signatures !== 1) throw mismatch('signatures', `are ${signatures}, expected the owner's`);
  const signature = reader.take(SIGNATURE_BYTES);
  const signers = reader.byte();
  if ((signers & VERSIONED) !== 0) {
    throw mismatch('message', 'is versioned, so that it can name address lookup tables');
  }
  if (signers !== 1) throw mismatch('signers', `are ${signers}, expected the owner alone`);
  const readonlySigners = reader.byte();
  if (readonlySigners !== 0) throw mismatch('fee payer', 'is not writable');
  const readonlyOthers = reader.byte();
  const accounts = readAccounts(reader, readonlyOthers);
  const blockhash = reader.address();
  const count = reader.length();
  const instructions = Array.from({ length: count }, (_, place) =>
    readInstruction(reader, accounts, `instruction ${place + 1}`),
  );
  reader.end();
  const message = bytes.slice(1 + SIGNATURE_BYTES);
  return { signature, message, blockhash, accounts, instructions };
}

function readAccounts(reader: ByteReader, readonlyOthers: number): readonly MessageAccount[] {
  const count = reader.length();
  const writable = count - readonlyOthers;
  if (writable < 1) throw mismatch('accounts', 'are fewer than the readonly ones');
  const accounts = Array.from({ length: count }, (_, place) => ({
    address: reader.address(),
    isSigner: place === 0,
    isWritable: place < writable,
  }));
  if (new Set(accounts.map(({ address }) => address)).size !== count) {
    throw mismatch('accounts', 'name an address twice');
  }
  return accounts;
}

function readInstruction(
  reader: ByteReader,
  accounts: readonly MessageAccount[],
  place: string,
): MessageInstruction {
  const addressAt = (index: number): string => {
    const account = accounts[index];
    if (account === undefined) throw mismatch(place, `names account ${index}, which is missing`);
    return account.address;
  };
  const programId = addressAt(reader.byte());
  const used = Array.from({ length: reader.length() }, () => addressAt(reader.byte()));
  const data = reader.take(reader.length());
  return { programId, accounts: used, data };
}
