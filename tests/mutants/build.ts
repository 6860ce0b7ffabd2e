import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PROGRAM_ID } from '../support/chain.ts';
import type { Mutant } from './mutant.ts';

const PROGRAM = fileURLToPath(new URL('../../', import.meta.url));
/** A copy of the source, with a build directory of its own that is kept between builds. */
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

/** Why the program cannot be built on this machine; null when it can. */
export async function whyNotBuilt(): Promise<string | null> {
  const isReady = await run('bash', [join(PROGRAM, 'build.sh'), '--ready']).then(
    () => true,
    () => false,
  );
  return isReady ? null : 'Rust for the chain is missing here; npm run program:build installs it';
}

/**
 * Builds the wallet without one check, with the flags of the real build.
 *
 * @returns the path of the program; the next build writes another one there
 * @throws when the place is not in the source any more, or what stands there then does not compile
 */
export async function buildMutant({ name, file, place, replacement }: Mutant): Promise<string> {
  await mkdir(COPY, { recursive: true });
  for (const part of COPIED) {
    await cp(join(PROGRAM, part), join(COPY, part), { recursive: true, force: true });
  }
  const path = join(COPY, 'wallet/src', file);
  const source = await readFile(path, 'utf8');
  if (source.split(place).length !== 2) throw new Error(`the change does not fit ${file} any more`);
  await writeFile(
    path,
    source.replace(place, () => replacement),
  );
  const env = { ...process.env, PROGRAM_ID: PROGRAM_ID.toBase58() };
  await run('bash', [join(COPY, 'build.sh')], { env }).catch((error: unknown) => {
    throw new Error(`without ${name} the program does not build: ${reasonOf(error)}`);
  });
  return join(COPY, 'target/deploy/agent_wallet.so');
}

/** The line that says it, of the many that compiler and linker write. */
function reasonOf(error: unknown): string {
  const lines = String(error).split('\n');
  return (lines.find((line) => /ERROR|error\[/.test(line)) ?? lines.at(-1) ?? '').trim();
}
