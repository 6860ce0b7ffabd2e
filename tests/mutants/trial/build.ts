import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROGRAM_ID } from '../../../program/tests/support/chain.ts';
import { applyEdit, editsOf, type Mutant } from '../mutant.ts';
import { runInGroup } from './run-in-group.ts';

const PROGRAM = fileURLToPath(new URL('../../../program/', import.meta.url));
const COPIES = join(PROGRAM, 'target/mutants');
const COPIED = [
  'build.sh',
  'Cargo.lock',
  'Cargo.toml',
  'idl',
  'reserve-hostile',
  'reserve-sandbox',
  'wallet',
];

/** Where a mutant is built, and what stops the build. */
export interface BuildPlace {
  /**
   * Name of a copy of the source, with a build directory that is kept between builds. Only one
   * mutant at a time may be built and tested in a copy.
   */
  readonly copy: string;
  readonly signal?: AbortSignal;
}

/** Returns why the program cannot be built on this machine, or null when it can. */
export async function whyNotBuilt(): Promise<string | null> {
  const { code } = await runInGroup(['bash', join(PROGRAM, 'build.sh'), '--ready'], {
    cwd: PROGRAM,
    env: process.env,
  });
  return code === 0
    ? null
    : 'Rust for the chain is missing here; npm run program:build installs it';
}

/**
 * Builds a mutant of the wallet with the flags of the real build. Returns the path of the program,
 * which the next build in the same copy overwrites. Throws when an edit does not apply or the
 * result does not build.
 */
export async function buildMutant(mutant: Mutant, { copy, signal }: BuildPlace): Promise<string> {
  const source = join(COPIES, copy);
  await mkdir(source, { recursive: true });
  for (const part of COPIED) {
    // A file that was moved must not stay behind. New times make cargo compile again.
    await rm(join(source, part), { recursive: true, force: true });
    await cp(join(PROGRAM, part), join(source, part), { recursive: true });
  }
  for (const edit of editsOf(mutant)) {
    const path = join(source, relative('program', edit.file));
    await writeFile(path, applyEdit(await readFile(path, 'utf8'), edit));
  }
  const { code, output } = await runInGroup(['bash', join(source, 'build.sh')], {
    cwd: source,
    env: { ...process.env, PROGRAM_ID: PROGRAM_ID.toBase58() },
    signal,
  });
  if (code !== 0) throw new Error(`the mutant ${mutant.name} does not build: ${reasonOf(output)}`);
  return join(source, 'target/deploy/agent_wallet.so');
}

/** The first error in the output of the compiler and linker, else its last line. */
function reasonOf(output: string): string {
  const lines = output.trim().split('\n');
  return (lines.find((line) => /ERROR|error\[/.test(line)) ?? lines.at(-1) ?? '').trim();
}
