import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { announceRunningSystem } from '@agent-wallet/local-system/system/running-system.ts';
import type { System } from '@agent-wallet/local-system/system/start-system.ts';
import { Client } from 'pg';
import { beforeAll, describe, expect, inject, it, test } from 'vitest';
import { packagesMatchLockfile } from '../../apps/local/packages.mjs';
import { createHttpOwner } from '../support/http/http-owner.ts';
import { createLaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';
import { outputPattern, readSteps, withoutSpace } from './read-blocks.ts';
import { type Result, runShell } from './run-shell.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FUNDS = 5_000_000n;
const RUNBOOK = 'docs/runbook.md';
/** For these, a session exists already: the lines that `npm run demo` prints to paste. */
const AFTER_DEMO = ['README.md', 'docs/guides/agent-developer.md'];

/** A document whose commands run, and how many of its blocks are marked as not run. */
type Given = { readonly path: string; readonly skipped: number };

const readDocument = ({ path, skipped }: Given) => {
  const steps = readSteps(readFileSync(join(ROOT, path), 'utf8'));
  return {
    path,
    skipped,
    reasons: steps.filter((step) => step.kind === 'skipped'),
    commands: steps
      .filter((step) => step.kind === 'shell')
      .map((step, index) => ({ ...step, index })),
    statements: steps.filter((step) => step.kind === 'sql'),
  };
};
type Document = ReturnType<typeof readDocument>;

/** Runs the commands and statements of documents, word for word, on one system with paid services. */
export function testDocuments(given: readonly Given[]): void {
  const documents = given.map(readDocument);
  const system = useSystem({ paidServices: true });
  /** A folder like a clone, with a `.local` of its own: a system of the reader is left alone. */
  let folder = '';
  beforeAll(async () => {
    // Otherwise `npm run migrate` would install packages in the middle of the test.
    if (!packagesMatchLockfile(ROOT)) throw new Error('run `npm ci` first');
    folder = join(inject('systemsDir'), `documents-${process.pid}`);
    await mkdir(folder, { recursive: true });
    const names = readdirSync(ROOT).filter((name) => name !== '.local' && name !== '.git');
    await Promise.all(names.map((name) => symlink(join(ROOT, name), join(folder, name))));
    await rm(join(folder, '.local'), { recursive: true, force: true });
    announceRunningSystem(system(), join(folder, '.local'));
  });

  const resultsOf = new Map<string, readonly Result[]>();
  const runAll = async ({ path, commands }: Document): Promise<void> => {
    const env = await environmentFor(path, system());
    resultsOf.set(path, await runShell(commands, { folder, env }));
  };

  /** The runbook runs after the others: it compares the whole log with the chain, and stops intake. */
  beforeAll(async () => {
    await Promise.all(documents.filter(({ path }) => path !== RUNBOOK).map(runAll));
    await Promise.all(documents.filter(({ path }) => path === RUNBOOK).map(runAll));
  });

  describe.each(documents)('$path', ({ path, commands, reasons, skipped }) => {
    const resultOf = (index: number): Result | undefined => resultsOf.get(path)?.[index];

    test.each(commands)('the command on line $line succeeds', ({ index }) => {
      expect(resultOf(index)).toMatchObject({ failures: '' });
    });

    test.each(commands.filter(({ output }) => output !== null))(
      'the command on line $line prints what the document shows',
      ({ index, output }) => {
        expect(withoutSpace(resultOf(index)?.output ?? '')).toMatch(outputPattern(output ?? ''));
      },
    );

    it('gives a reason for each block that does not run', () => {
      expect(reasons).toHaveLength(skipped);
    });
  });

  test.each(
    documents.flatMap(({ path, statements }) => statements.map((sql) => ({ path, ...sql }))),
  )('$path: the SQL on line $line runs as the $login', async ({ code, login }) => {
    await expect(runAndUndo(urlOf(login, system()), code)).resolves.toBeUndefined();
  });
}

/** The variables that the reader has before the first command. */
async function environmentFor(path: string, running: System): Promise<NodeJS.ProcessEnv> {
  const bin = [dirname(process.execPath), join(ROOT, 'node_modules', '.bin')];
  const env = {
    HOME: process.env['HOME'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    PATH: [...bin, process.env['PATH'] ?? ''].join(delimiter),
  };
  if (!AFTER_DEMO.includes(path)) return env;
  await using fixture = await createLaneFixture(running);
  const listed = await fixture.createRecipient();
  const unlisted = await fixture.createRecipient();
  const owner = await createHttpOwner(running, fixture, FUNDS);
  const payees = running.paidServices.map(({ payTo }) => payTo);
  const session = await owner.createSession({ recipients: [listed, ...payees] });
  const { api } = running.urls;
  return { ...env, API: api, KEY: session.apiKey, LISTED: listed, UNLISTED: unlisted };
}

function urlOf(login: string, { databaseUrl, databaseUrls }: System): string {
  const urls: Readonly<Record<string, string>> = { ...databaseUrls, owner: databaseUrl };
  const url = urls[login];
  if (url === undefined) throw new Error(`The local system has no login of the ${login}.`);
  return url;
}

/** Runs the statements in one SQL transaction that is rolled back. */
async function runAndUndo(url: string, statements: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('begin');
    await client.query(statements);
    await client.query('rollback');
  } finally {
    await client.end();
  }
}
