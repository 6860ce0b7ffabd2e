/**
 * The entry behind the npm scripts: `node apps/local/launch.mjs <command> [arguments]`.
 *
 * Plain JavaScript without dependencies, for Node 20 or later, so that it works in a fresh clone:
 * it installs the packages when they do not match the lockfile, then runs the command on the Node
 * that is one of them. If a command cannot run, it prints one sentence and exits with 1.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { networkSentence, packagesMatchLockfile, packagesWithoutHash } from './packages.mjs';

const OLDEST_NODE = 20;
const PROGRESS_INTERVAL_MS = 5_000;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BIN = join(ROOT, 'node_modules', '.bin');
/** The lockfile has a Node for Linux; on other platforms the user's own Node is used. */
const PACKAGED_NODE = join(BIN, 'node');
const NODE = hasPackagedNode() ? PACKAGED_NODE : process.execPath;
const OLDEST_OWN_NODE = [24, 12];
const KNIP_ISSUES = 'files,dependencies,unlisted,unresolved,binaries,exports,types,duplicates';

/** An error whose message is the whole output, for a person at a terminal. */
class Refusal extends Error {}

const commands = {
  start: (args) => runNode('apps/local/src/start.ts', args),
  demo: (args) => runNode('apps/local/src/demo/main.ts', args),
  chaos: (args) => runNode('tests/chaos/main.ts', args),
  attack: (args) => runNode('tests/attack/main.ts', args),
  conformance: (args) => runNode('tests/conformance/main.ts', args),
  bench: (args) => runNode('tests/bench/main.ts', args),
  'program:fuzz': (args) => runNode('program/fuzz/main.ts', args),
  'program:mutants': (args) => runNode('tests/mutants/main.ts', args),
  // Where the user is: npm itself runs every script in the root folder.
  'agent-wallet': (args) =>
    runNode('apps/cli/src/main.ts', args, process.env.INIT_CWD ?? process.cwd()),
  migrate: (args) => runNode('apps/migrate/src/main.ts', args),
  // Where the user is: files are named from there.
  cluster: (args) =>
    runNode('deploy/cluster/src/main.ts', args, process.env.INIT_CWD ?? process.cwd()),
  settings: (args) => runNode('tests/settings/main.ts', args),
  dashboards: (args) => runNode('deploy/grafana/main.ts', args),
  'dashboard:build': (args) => runNode('apps/dashboard/src/build/main.ts', args),
  'packages:build': (args) => runNode('apps/local/src/packages/main.ts', args),
  'ops:check': (args) => runNode('tests/ops/main.ts', args),
  sbom: (args) => runNode('apps/local/src/sbom/main.ts', args),
  test: (args) => run('vitest', ['run', '--project=quick', ...args]),
  'test:slow': (args) => run('vitest', ['run', '--project=slow', ...args]),
  'test:browser': (args) =>
    run('vitest', ['run', '--config=tests/browser/vitest.config.ts', ...args]),
  check: () =>
    runAll([
      ['tsc', '--noEmit'],
      ['tsc', '--noEmit', '-p', 'apps/dashboard/page'],
      ['oxlint', '--type-aware'],
      ['oxfmt', '--check', '.'],
      ['knip', '--strict', '--include', KNIP_ISSUES],
    ]),
};

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function main([name = '', ...args]) {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    throw new Refusal(`Choose a command: ${Object.keys(commands).join(', ')}.`);
  }
  refuseOldPlatforms();
  refuseOldNode();
  await installPackages();
  return command(args);
}

function refuseOldPlatforms() {
  const major = Number.parseInt(process.versions.node, 10);
  if (major < OLDEST_NODE) {
    throw new Refusal(`Node ${OLDEST_NODE} or later is needed; this is ${process.version}.`);
  }
  if (process.platform === 'win32') {
    throw new Refusal('This runs on Linux and macOS; on Windows use WSL.');
  }
}

function hasPackagedNode() {
  return process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
}

function refuseOldNode() {
  if (hasPackagedNode()) return;
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [leastMajor, leastMinor] = OLDEST_OWN_NODE;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new Refusal(
    `On ${process.platform}-${process.arch} Node ${OLDEST_OWN_NODE.join('.')} or later is ` +
      `needed; this is ${process.version}.`,
  );
}

/** Without a hash in the lockfile the registry alone would decide which code runs here. */
function refuseUnverified() {
  if (process.env.UNVERIFIED_PACKAGES === 'true') return;
  const names = packagesWithoutHash(ROOT, process);
  if (names.length === 0) return;
  throw new Refusal(
    `package-lock.json has no hash for ${names.length} packages of ${process.platform}-` +
      `${process.arch} (${names.slice(0, 2).join(', ')}, …): add the hashes with ` +
      '`npm install --package-lock-only` and review the change, or set ' +
      'UNVERIFIED_PACKAGES=true to trust the registry.',
  );
}

async function installPackages() {
  if (packagesMatchLockfile(ROOT) && existsSync(NODE)) return;
  refuseUnverified();
  const started = Date.now();
  const progress = setInterval(() => {
    console.error(`installing packages … ${Math.round((Date.now() - started) / 1000)} s`);
  }, PROGRESS_INTERVAL_MS);
  console.error('installing packages (npm ci) …');
  try {
    await runNpmCi();
  } finally {
    clearInterval(progress);
  }
  if (!existsSync(NODE)) {
    throw new Refusal(
      'npm did not install Node 24 (node_modules/.bin/node): allow optional packages (the npm ' +
        'config omit must not name them) and run this again.',
    );
  }
  console.error(`packages installed in ${Math.round((Date.now() - started) / 1000)} s`);
}

async function runNpmCi() {
  // The npm that started this process, if any: PATH may have another.
  const npm = process.env.npm_execpath?.endsWith('.js')
    ? [process.execPath, process.env.npm_execpath]
    : ['npm'];
  const [command, ...first] = npm;
  const child = spawn(command, [...first, 'ci', '--no-audit', '--no-fund'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (chunk) => {
    output = (output + chunk).slice(-20_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const code = await ended(child, command);
  if (code !== 0) throw new Refusal(networkSentence(output) ?? npmSentence(code, output));
}

function npmSentence(code, output) {
  // npm prints the reason first and its usage last.
  const errors = output.split('\n').filter((line) => /^npm (error|ERR!) \S/.test(line));
  return [`npm ci ended with code ${code}:`, ...errors.slice(0, 8)].join('\n  | ');
}

/** Runs a file on the installed Node; by its channel `start` notices when this process exits. */
function runNode(file, args, cwd = ROOT) {
  return runChild(NODE, [join(ROOT, file), ...args], ['inherit', 'inherit', 'inherit', 'ipc'], cwd);
}

function run(tool, args) {
  return runChild(join(BIN, tool), args, 'inherit');
}

/** Runs all tools even if one fails, so that one run shows each problem. */
async function runAll(tools) {
  const failed = [];
  for (const [tool, ...args] of tools) {
    console.error(`> ${tool} ${args.join(' ')}`);
    if ((await run(tool, args)) !== 0) failed.push(tool);
  }
  if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
}

async function runChild(command, args, stdio, cwd = ROOT) {
  const child = spawn(command, args, {
    cwd,
    stdio,
    // The tools are scripts for `env node`, which must find the installed one.
    env: {
      // Compiling the code is half of what a process costs to start.
      NODE_COMPILE_CACHE: join(ROOT, '.local', 'compile-cache'),
      ...process.env,
      PATH: [BIN, dirname(NODE), process.env.PATH ?? ''].join(delimiter),
    },
  });
  const forward = (signal) => {
    // A Ctrl-C at a terminal reaches the child too; after a second signal tools skip their cleanup.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  try {
    return await ended(child, command);
  } finally {
    for (const signal of signals) process.off(signal, forward);
  }
}

/** The exit code of a child; 1 after a signal. */
function ended(child, command) {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      reject(new Refusal(`${command} could not be started: ${error.message}.`));
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
