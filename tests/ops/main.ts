/**
 * `npm run ops:check`: builds and boots what operators deploy, and shows that it works. Needs Linux;
 * installs its tools with apt-get where it is root, and skips steps whose tools it cannot install.
 * `npm run ops:check -- <words>` runs the steps whose name contains one of the words.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './tools/run-tool.ts';
import { runSteps } from './run-steps.ts';
import { STEPS } from './steps.ts';

const folder = join(REPOSITORY, '.local', 'ops');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

process.env['CONTAINERS_CONF'] ??= join(REPOSITORY, 'deploy/base/containers.conf');

const words = process.argv.slice(2);
const chosen = STEPS.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
);
if (chosen.length === 0) {
  console.error(`No step matches. The steps:\n${STEPS.map(({ name }) => `  ${name}`).join('\n')}`);
  process.exit(1);
}
process.exitCode = await runSteps(chosen, {
  folder,
  log: (line) => console.log(line),
});
