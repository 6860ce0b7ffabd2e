/**
 * Records on disk, so that the memory of a chain does not grow with what landed. The files have no
 * name any more as soon as they are open: they end with the process, however it ends.
 */

import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file is not continued above this size; it is deleted when all its records are forgotten. */
const FILE_BYTES = 64 * 1_024 * 1_024;
/** Records are written together. */
const BUFFER_BYTES = 256 * 1_024;

type RecordFile = { readonly descriptor: number; length: number; records: number };

/** Where a record is. */
export type RecordPlace = {
  readonly file: RecordFile;
  readonly offset: number;
  readonly length: number;
};

export type Records = {
  append(record: Uint8Array): RecordPlace;
  read(place: RecordPlace): Buffer;
  forget(place: RecordPlace): void;
};

export function createRecords(fileBytes = FILE_BYTES): Records {
  let file: RecordFile | null = null;
  /** The end of the file that is not written yet, from `flushed` on. */
  const pending = Buffer.allocUnsafe(BUFFER_BYTES);
  let flushed = 0;

  function flush({ descriptor, length }: RecordFile): void {
    writeSync(descriptor, pending, 0, length - flushed, flushed);
    flushed = length;
  }

  /** The file to append to, with room for a record among the pending bytes. */
  function fileFor(length: number): RecordFile {
    if (file !== null && file.length - flushed + length > BUFFER_BYTES) flush(file);
    if (file !== null && file.length < fileBytes) return file;
    if (file !== null) {
      flush(file);
      if (file.records === 0) closeSync(file.descriptor);
    }
    file = { descriptor: openUnnamed(), length: 0, records: 0 };
    flushed = 0;
    return file;
  }

  return {
    append(record) {
      if (record.length > BUFFER_BYTES) throw new RangeError('the record is too long');
      const target = fileFor(record.length);
      const place = { file: target, offset: target.length, length: record.length };
      pending.set(record, target.length - flushed);
      target.length += record.length;
      target.records += 1;
      return place;
    },
    read({ file: source, offset, length }) {
      if (source === file && offset >= flushed) {
        return Buffer.from(pending.subarray(offset - flushed, offset - flushed + length));
      }
      const record = Buffer.allocUnsafe(length);
      readSync(source.descriptor, record, 0, length, offset);
      return record;
    },
    forget({ file: source }) {
      source.records -= 1;
      if (source.records === 0 && source !== file) closeSync(source.descriptor);
    },
  };
}

function openUnnamed(): number {
  const folder = mkdtempSync(join(tmpdir(), 'agent-wallet-chain-'));
  try {
    return openSync(join(folder, 'records'), 'w+', 0o600);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
