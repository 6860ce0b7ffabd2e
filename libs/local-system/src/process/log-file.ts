import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const TAIL_LINES_MAX = 20;
const TAIL_BYTES_MAX = 16_384;

/** The last lines (at most 20, from at most 16 KiB) of a log file; empty if it cannot be read. */
export function lastLines(path: string): string[] {
  try {
    const file = openSync(path, 'r');
    try {
      const size = fstatSync(file).size;
      const length = Math.min(size, TAIL_BYTES_MAX);
      const buffer = Buffer.alloc(length);
      readSync(file, buffer, 0, length, size - length);
      return buffer.toString('utf8').trimEnd().split('\n').slice(-TAIL_LINES_MAX);
    } finally {
      closeSync(file);
    }
  } catch {
    return [];
  }
}

/** A sentence about the end of a process, with its last log lines as an indented block below it. */
export function withLastLines(sentence: string, path: string): string {
  const lines = lastLines(path).filter((line) => line !== '');
  if (lines.length === 0) return `${sentence} (its log, ${path}, is empty)`;
  return [`${sentence} The end of its log, ${path}:`, ...lines.map((line) => `  | ${line}`)].join(
    '\n',
  );
}
