import { z } from 'zod';
import { addCommand } from '../../command-line/add-command.ts';
import { uuid } from '../../command-line/inputs.ts';
import { done } from '../../command-line/outcome.ts';
import type { AddCommands } from '../../command-line/parse-command-line.ts';
import { OWNER_OPTIONS, ownerInput, YES_OPTION } from '../owner-inputs.ts';
import { withOwner } from '../with-owner.ts';
import { KEY_FILE_OPTION, openKeyOutput } from './key-file.ts';

export const addRotateKey: AddCommands = (to) => {
  addCommand(to, {
    usage: 'rotate-key <id>',
    summary: 'replace the key of an agent; the old one is refused at once',
    options: [KEY_FILE_OPTION, ...OWNER_OPTIONS, YES_OPTION],
    examples: ['owner session rotate-key 0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6071 --key-file new.key'],
    input: ownerInput.extend({ id: uuid, keyFile: z.string().optional() }),
    run: (input, context) =>
      withOwner(input, context, async ({ client }) => {
        using keyOutput = openKeyOutput(input.keyFile);
        await context.terminal.agree([
          `Session ${input.id} will get a new key, and its old key will be refused at once.`,
        ]);
        const { api_key, session_id } = await client.rotateKey(input.id, {
          signal: context.signal,
        });
        const shown = keyOutput.write(api_key);
        const key = keyOutput.isFile ? { key_file: input.keyFile } : { api_key };
        return done(`The new key is ${shown}.`, { session_id, ...key });
      }),
  });
};
