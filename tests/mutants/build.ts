import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PROGRAM_ID } from '../../program/tests/support/chain.ts';
import { applyEdit, editsOf, type Mutant } from './mutant.ts';

const PROGRAM = fileURLToPath(new URL('../../program/', import.meta.url));
/** A copy of the source. Its build directory is kept between builds. */
const COPY = join(PROGRAM, 'target/mutants/source');
const COPIED = [
  'build.sh',
  'Cargo.lock',
  'Cargo.toml',
  'idl',
  'reserve-hostile',
  'reserve-sandbox',
  'wallet',
];

const run = promisify(execFile);

/** Returns why the program cannot be built on this machine, or null when it can. */
export async function whyNotBuilt(): Promise<string | null> {
  const isReady = await run('bash', [join(PROGRAM, 'build.sh'), '--ready']).then(
    () => true,
    () => false,
  );
  return isReady ? null : 'Rust for the chain is missing here; npm run program:build installs it';
}

/**
 * Builds a mutant of the wallet with the flags of the real build. Returns the path of the program,
 * which the next build overwrites. Throws when an edit does not apply or the result does not build.
 */
export async function buildMutant(mutant: Mutant): Promise<string> {
  await mkdir(COPY, { recursive: true });
  for (const part of COPIED) {
    await cp(join(PROGRAM, part), join(COPY, part), { recursive: true, force: true });
  }
  for (const edit of editsOf(mutant)) {
    const path = join(COPY, relative('program', edit.file));
    await writeFile(path, applyEdit(await readFile(path, 'utf8'), edit));
  }
  const env = { ...process.env, PROGRAM_ID: PROGRAM_ID.toBase58() };
  await run('bash', [join(COPY, 'build.sh')], { env }).catch((error: unknown) => {
    throw new Error(`the mutant ${mutant.name} does not build: ${reasonOf(error)}`);
  });
  return join(COPY, 'target/deploy/agent_wallet.so');
}

/** The first error in the output of the compiler and linker, else its last line. */
function reasonOf(error: unknown): string {
  const lines = String(error).split('\n');
  return (lines.find((line) => /ERROR|error\[/.test(line)) ?? lines.at(-1) ?? '').trim();
}
