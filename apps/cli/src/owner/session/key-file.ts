import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { Option } from 'commander';
import { CliError } from '../../cli-error.ts';

export const KEY_FILE_OPTION = new Option(
  '--key-file <file>',
  "write the agent's key to a new file that only you can read, instead of showing it",
);

/** Where the key of an agent goes, which the API shows once. */
export type KeyOutput = {
  /** Takes the key and returns what to print. */
  write(apiKey: string): string;
  /** Whether the key is in a file and shall not be printed. */
  readonly isFile: boolean;
  /** Removes a file without a key. */
  [Symbol.dispose](): void;
};

/** Opened before the key exists, so that no key is lost to a file that cannot be written. */
export function openKeyOutput(file: string | undefined): KeyOutput {
  if (file === undefined) {
    return {
      isFile: false,
      write: (apiKey) => `${apiKey} (shown only now)`,
      [Symbol.dispose]: () => undefined,
    };
  }
  let isWritten = false;
  const handle = open(file);
  return {
    isFile: true,
    write: (apiKey) => {
      writeSync(handle, `${apiKey}\n`);
      isWritten = true;
      return `in ${file}`;
    },
    [Symbol.dispose]: () => {
      closeSync(handle);
      if (!isWritten) unlinkSync(file);
    },
  };
}

function open(file: string): number {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (cause) {
    throw new CliError(`${file} exists already or cannot be written.`, { cause });
  }
}
