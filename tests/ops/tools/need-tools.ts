import { type Ops, Skipped } from '../step.ts';
import { runTool, tryTool } from './run-tool.ts';

/**
 * Makes sure that the commands exist, by installing the Debian packages where this is root and has
 * apt-get. Throws Skipped where it cannot.
 */
export async function needTools(
  ops: Ops,
  packages: Readonly<Record<string, string>>,
): Promise<void> {
  const missing = await missingOf(packages);
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0 || !(await isCommand('apt-get'))) {
    const names = missing.join(', ');
    throw new Skipped(`no ${names}, and it cannot be installed without root and apt-get`);
  }
  ops.log(`installing ${missing.join(' ')} …`);
  await runTool(['apt-get', 'update', '-qq']);
  const install = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...missing];
  await runTool(install, { env: { DEBIAN_FRONTEND: 'noninteractive' } });
}

async function missingOf(packages: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const found = await Promise.all(Object.keys(packages).map((name) => isCommand(name)));
  return [...new Set(Object.values(packages).filter((_, index) => found[index] === false))];
}

/** Whether the command is on the path. */
export async function isCommand(name: string): Promise<boolean> {
  return (await tryTool(['sh', '-c', `command -v ${name}`])).code === 0;
}
