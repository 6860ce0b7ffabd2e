/** Thrown for bytes that are not a transaction. */
export class MalformedTransaction extends Error {}

/** Reads forward through bytes; each read throws MalformedTransaction past the end. */
export type WireReader = {
  readonly offset: number;
  byte(): number;
  /** A view, not a copy. */
  take(length: number): Uint8Array;
  /** A length in one to three bytes, of seven bits each, in its shortest form. */
  compactLength(): number;
  /** A list whose length precedes it. */
  list<T>(item: () => T): T[];
};

export function createWireReader(bytes: Uint8Array): WireReader {
  let offset = 0;
  function take(length: number): Uint8Array {
    if (offset + length > bytes.length) throw new MalformedTransaction('the bytes end too early');
    offset += length;
    return bytes.subarray(offset - length, offset);
  }
  function byte(): number {
    const value = bytes[offset];
    if (value === undefined) throw new MalformedTransaction('the bytes end too early');
    offset += 1;
    return value;
  }
  function compactLength(): number {
    let value = 0;
    for (let shift = 0; shift <= 14; shift += 7) {
      const part = byte();
      value |= (part & 0x7f) << shift;
      if (shift > 0 && part === 0) throw new MalformedTransaction('a length is not in short form');
      if (part < 0x80) {
        if (value > 0xffff) break;
        return value;
      }
    }
    throw new MalformedTransaction('a length is above 65535');
  }
  return {
    get offset() {
      return offset;
    },
    byte,
    take,
    compactLength,
    list: (item) => Array.from({ length: compactLength() }, item),
  };
}
