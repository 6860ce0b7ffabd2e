import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));
const PLACES = new URL('../../../.local/', import.meta.url);

export type Installed =
  | { readonly kind: 'installed'; readonly command: string }
  | { readonly kind: 'missing'; readonly sentence: string };

/**
 * Installs the fuzzer once in a Python environment under `.local/`: only files with pinned hashes,
 * and wheels only, so that the installation runs no code.
 */
export async function installSchemathesis(progress: (line: string) => void): Promise<Installed> {
  const pinned = createHash('sha256')
    .update(await readFile(REQUIREMENTS))
    .digest('hex');
  const place = fileURLToPath(new URL(`schemathesis-${pinned.slice(0, 12)}`, PLACES));
  const command = `${place}/bin/schemathesis`;
  const mark = `${place}/complete`;
  if (existsSync(mark)) return { kind: 'installed', command };
  const found = await run('python3', ['--version']);
  if (found.code !== 0) return missing('there is no python3 here', found.output);
  progress('installing schemathesis');
  await rm(place, { recursive: true, force: true });
  const made = await run('python3', ['-m', 'venv', place]);
  if (made.code !== 0) return missing('python3 cannot make an environment (venv)', made.output);
  const options = ['--quiet', '--disable-pip-version-check', '--no-input'];
  const pins = ['--require-hashes', '--only-binary=:all:', '--requirement', REQUIREMENTS];
  const installed = await run(`${place}/bin/python`, ['-m', 'pip', 'install', ...options, ...pins]);
  if (installed.code !== 0) return missing('pip cannot install it', installed.output);
  await writeFile(mark, '');
  return { kind: 'installed', command };
}

function missing(why: string, output: string): Installed {
  const last = output.trim().split('\n').at(-1) ?? '';
  return { kind: 'missing', sentence: `no schemathesis: ${why}${last === '' ? '' : ` (${last})`}` };
}

/** Runs a command to its end. Its exit code is not 0 when it could not be started. */
function run(
  command: string,
  args: readonly string[],
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(command, [...args], (error, stdout, stderr) =>
      resolve({
        code: error === null ? 0 : 1,
        output: `${stdout}${stderr}` || (error?.message ?? ''),
      }),
    );
  });
}
