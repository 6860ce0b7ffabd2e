import { readdirSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createRecords } from './record-file.ts';

const OPEN_FILES = '/proc/self/fd';
const PLACE = /agent-wallet-chain-.*records/;

/** The files of records that this process has open, by their links. */
const openFiles = (): readonly string[] =>
  readdirSync(OPEN_FILES).flatMap((descriptor) => {
    try {
      return [readlinkSync(`${OPEN_FILES}/${descriptor}`)].filter((link) => PLACE.test(link));
    } catch {
      // The descriptor of the listing itself.
      return [];
    }
  });

const recordOf = (byte: number): Buffer => Buffer.alloc(100_000, byte);

test('records are read back from memory, from their file and from an earlier file', () => {
  const records = createRecords(250_000);
  const places = [1, 2, 3, 4, 5, 6, 7].map((byte) => records.append(recordOf(byte)));
  const read = places.map((place) => records.read(place));
  expect(read).toEqual([1, 2, 3, 4, 5, 6, 7].map(recordOf));
});

test.skipIf(process.platform !== 'linux')(
  'the files have no name, and one whose records are all forgotten is closed (skipped where open files are not listed)',
  () => {
    const records = createRecords(250_000);
    const before = openFiles().length;
    const places = Array.from({ length: 30 }, (_, index) => records.append(recordOf(index)));
    expect(openFiles().length - before).toBe(10);
    expect(openFiles().every((link) => link.endsWith('(deleted)'))).toBe(true);
    for (const place of places) records.forget(place);
    // The newest file stays open for the next record.
    expect(openFiles().length - before).toBe(1);
  },
);
