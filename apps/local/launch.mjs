/**
 * The entry behind the npm scripts: `node apps/local/launch.mjs <command> [arguments]`.
 *
 * Plain JavaScript without dependencies, for any Node from 20 on, so that it works in a fresh clone:
 * it installs the packages when they do not match the lockfile, then goes on with the Node that is
 * one of them. Whatever cannot work is told in one sentence, with exit code 1.
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
/** The lockfile has a Node for Linux on x64; elsewhere the one that runs this has to be new enough. */
const PACKAGED_NODE = join(BIN, 'node');
const NODE = hasPackagedNode() ? PACKAGED_NODE : process.execPath;
const NODE_WITHOUT_PACKAGE = [24, 12];
const KNIP_ISSUES = 'files,dependencies,unlisted,unresolved,binaries,exports,types,duplicates';

/** A reason not to go on, for a person at a terminal. */
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
  migrate: (args) => runNode('apps/local/src/migrate.ts', args),
  sbom: (args) => runNode('apps/local/src/sbom/main.ts', args),
  test: (args) => run('vitest', ['run', ...args]),
  check: () =>
    runAll([
      ['tsc', '--noEmit'],
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
    throw new Refusal(`Say what to do: ${Object.keys(commands).join(', ')}.`);
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
  return process.platform === 'linux' && process.arch === 'x64';
}

function refuseOldNode() {
  if (hasPackagedNode()) return;
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [leastMajor, leastMinor] = NODE_WITHOUT_PACKAGE;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new Refusal(
    `On ${process.platform}-${process.arch} Node ${NODE_WITHOUT_PACKAGE.join('.')} or later is ` +
      `needed; this is ${process.version}.`,
  );
}

/** Where no hash is written down, whatever the registry serves would run here. */
function refuseUnverified() {
  if (process.env.UNVERIFIED_PACKAGES === 'true') return;
  const names = packagesWithoutHash(ROOT, process);
  if (names.length === 0) return;
  throw new Refusal(
    `package-lock.json has no hash for ${names.length} packages of ${process.platform}-` +
      `${process.arch} (${names.slice(0, 2).join(', ')}, …): fill them in with ` +
      '`npm install --package-lock-only` and look at what changes, or set ' +
      'UNVERIFIED_PACKAGES=true to take them on the word of the registry.',
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
      'npm left out Node 24 (node_modules/.bin/node): let it install optional packages (npm ' +
        'config omit must not name them) and run this again.',
    );
  }
  console.error(`packages installed in ${Math.round((Date.now() - started) / 1000)} s`);
}

async function runNpmCi() {
  // The npm that started us, if one did: PATH may hold another.
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
  // npm says what is wrong first, and ends with its manual.
  const errors = output.split('\n').filter((line) => /^npm (error|ERR!) \S/.test(line));
  return [`npm ci ended with code ${code}:`, ...errors.slice(0, 8)].join('\n  | ');
}

/** Goes on with the installed Node; the channel tells `start` when this process goes away. */
function runNode(file, args) {
  return runChild(NODE, [join(ROOT, file), ...args], ['inherit', 'inherit', 'inherit', 'ipc']);
}

function run(tool, args) {
  return runChild(join(BIN, tool), args, 'inherit');
}

/** All of them, also after one has failed, so that one run shows everything there is to mend. */
async function runAll(tools) {
  const failed = [];
  for (const [tool, ...args] of tools) {
    console.error(`> ${tool} ${args.join(' ')}`);
    if ((await run(tool, args)) !== 0) failed.push(tool);
  }
  if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
}

async function runChild(command, args, stdio) {
  const child = spawn(command, args, {
    cwd: ROOT,
    stdio,
    // The tools are scripts for `env node`: let that be the installed one.
    env: {
      ...process.env,
      PATH: [BIN, dirname(NODE), process.env.PATH ?? ''].join(delimiter),
    },
  });
  const forward = (signal) => {
    // A Ctrl-C at a terminal reaches the child as well; told twice, tools end without tidying up.
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

/** The exit code of a child; 1 if a signal ended it. */
function ended(child, command) {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      reject(new Refusal(`${command} could not be started: ${error.message}.`));
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
