import { z } from 'zod';
import { addCommand } from '../command-line/add-command.ts';
import { done } from '../command-line/outcome.ts';
import type { AddCommands } from '../command-line/parse-command-line.ts';
import { createKeypairFile, readKeypairFile } from '../keypair-file.ts';
import { KEYPAIR_OPTION, keypair } from './owner-inputs.ts';

export const addKeypair: AddCommands = (to) => {
  addCommand(to, {
    usage: 'create-keypair <file>',
    summary: 'create a key for a test network, in a new file that only you can read',
    examples: ['owner create-keypair owner.json'],
    input: z.object({ file: z.string() }),
    run: async ({ file }) => {
      const { address } = createKeypairFile(file);
      return done(`${file} has the key of ${address}.`, { file, address });
    },
  });
  addCommand(to, {
    usage: 'address',
    summary: 'show the address of the key',
    options: [KEYPAIR_OPTION],
    examples: ['owner address --keypair owner.json'],
    input: z.object({ keypair }),
    run: async ({ keypair: file }) => {
      const { address } = readKeypairFile(file);
      return done(address, { address });
    },
  });
};
