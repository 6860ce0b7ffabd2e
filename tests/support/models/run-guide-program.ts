/** The programs of the guide for agent frameworks, with models that play a script. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { readBlock } from '../../docs/read-blocks.ts';
import type { Script } from './script.ts';

const run = promisify(execFile);

/** Each framework: its heading in the guide, and its scripted model. */
export const FRAMEWORKS = [
  { heading: '## Vercel AI SDK', model: 'ai-sdk-model.ts' },
  { heading: '## LangChain', model: 'langchain-model.ts' },
] as const;

const toldOutputs = z.array(
  z.object({
    result: z.record(z.string(), z.unknown()).nullable(),
    refusal: z.record(z.string(), z.unknown()).nullable(),
  }),
);

/**
 * Runs the program of a framework in `folder`, whose packages it imports, with a model that makes
 * these calls. Returns the outputs that the model was told.
 */
export async function runGuideProgram(
  { heading, model }: (typeof FRAMEWORKS)[number],
  folder: string,
  { env, calls }: { readonly env: Readonly<Record<string, string>>; readonly calls: Script },
): Promise<z.output<typeof toldOutputs>> {
  mkdirSync(folder, { recursive: true });
  const program = join(folder, 'agent.ts');
  writeFileSync(program, readBlock('docs/guides/agent-tools.md', 'ts', heading));
  const path = fileURLToPath(new URL(model, import.meta.url));
  writeFileSync(join(folder, 'model.ts'), `export * from '${path}';\n`);
  const { stdout } = await run(process.execPath, [program], {
    env: { ...env, PROMPT: 'Pay the invoice.', SCRIPT: JSON.stringify(calls) },
  });
  return toldOutputs.parse(JSON.parse(stdout));
}
