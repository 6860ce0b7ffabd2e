import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { anchorsIn } from './anchors.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'deploy/README.md',
  'libs/sdk/README.md',
  'libs/agent-tools/README.md',
  'apps/cli/README.md',
  'apps/mcp/README.md',
  ...['docs', 'docs/adr', 'docs/guides'].flatMap((folder) => markdownIn(folder)),
];
const LINK = /\]\((?<target>[^)\s]+)\)/g;
/** A path from the root of the repository, in backticks; `*` and `…` stand for parts of names. */
const PATH =
  /`(?<target>(?:apps|libs|tests|program|migrations|docs|deploy|\.ci)(?:\/[\w.*-]+)+\/?)(?:[`\s])/g;
const BUILT = ['program/target', 'deploy/secrets'];
/**
 * Commands that take a package by its name from the registry, where our names belong to nobody yet:
 * whoever registers one decides what they run.
 */
const BY_NAME =
  /\b(?<target>npx|npm (?:exec|x)|(?:pnpm|yarn) dlx|(?:npm|pnpm|yarn|bun) (?:install|i|add)\b[^`\n]*?(?<![\w./-])(?:@agent-wallet\/|agent-wallet(?:-\w+)?(?![\w./-])))/g;

test.each(DOCUMENTS)('%s links to files and headings that exist', (path) => {
  const broken = targetsOf(LINK, readFileSync(join(ROOT, path), 'utf8'))
    .filter((target) => !/^https?:/.test(target))
    .filter((target) => !isReachable(path, target));
  expect(broken).toEqual([]);
});

test.each(DOCUMENTS)('%s takes no package of ours from the registry', (path) => {
  expect(targetsOf(BY_NAME, readFileSync(join(ROOT, path), 'utf8'))).toEqual([]);
});

test.each([
  ['npx agent-wallet exit', 1],
  ['{ "command": "npx", "args": ["agent-wallet-mcp"] }', 1],
  ['npm exec agent-wallet', 1],
  ['npm install @agent-wallet/sdk', 1],
  ['npm i --save zod agent-wallet-mcp', 1],
  ['npm install ../clone/.local/packages/agent-wallet-cli-0.1.0.tgz', 0],
  ['npm install ./agent-wallet-sdk-0.1.0.tgz', 0],
  ['npm run agent-wallet -- exit', 0],
])('"%s" takes %i packages by name', (command, found) => {
  expect(targetsOf(BY_NAME, command)).toHaveLength(found);
});

test.each(DOCUMENTS)('%s names paths that exist', (path) => {
  const missing = targetsOf(PATH, readFileSync(join(ROOT, path), 'utf8'))
    .filter((target) => !target.includes('*') && !BUILT.some((built) => target.startsWith(built)))
    .filter((target) => !existsSync(join(ROOT, target)));
  expect(missing).toEqual([]);
});

function markdownIn(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.md'));
  return names.map((name) => `${folder}/${name}`);
}

function targetsOf(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map(({ groups }) => groups?.['target'] ?? '');
}

function isReachable(from: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? from : join(dirname(from), file);
  if (!existsSync(join(ROOT, path))) return false;
  if (anchor === undefined) return true;
  return anchorsIn(readFileSync(join(ROOT, path), 'utf8')).has(anchor);
}
