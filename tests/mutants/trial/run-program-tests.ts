import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { runInGroup } from './run-in-group.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FAILED_TESTS = 1;
const TIMEOUT = /^\w*Error: (Test|Hook) timed out in /;

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          title: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).default([]),
        }),
      ),
    }),
  ),
});

export interface TestRun {
  /** Number of attacks: the tests of `attacks/`, and those that spoil one part of a valid call. */
  readonly attacks: number;
  readonly passed: number;
  /** Full names of the tests that failed, except by a timeout: it proves nothing. */
  readonly failed: readonly string[];
}

/**
 * Runs tests of the program on LiteSVM in a process of their own: the files whose names contain one
 * of `words`, on the build `wallet` or else on the committed one. `signal` stops them. Throws when
 * no test could be run, or when tests failed by a timeout alone: the machine is too busy.
 */
export async function runProgramTests(options: {
  readonly words: readonly string[];
  readonly wallet?: string;
  readonly signal?: AbortSignal | undefined;
}): Promise<TestRun> {
  const { words, wallet, signal } = options;
  const folder = await mkdtemp(join(tmpdir(), 'program-tests-'));
  try {
    const report = join(folder, 'report.json');
    const vitest = ['node_modules/vitest/vitest.mjs', 'run'];
    const config = ['--config', 'program/tests/vitest.config.ts'];
    const reporter = ['--reporter=json', `--outputFile=${report}`];
    const { code, output } = await runInGroup(
      [process.execPath, ...vitest, ...config, ...reporter, ...words],
      {
        cwd: ROOT,
        env: { ...process.env, ...(wallet === undefined ? {} : { AGENT_WALLET_SO: wallet }) },
        signal,
      },
    );
    if (code !== 0 && code !== FAILED_TESTS) {
      throw new Error(`vitest ended: ${output.slice(-2_000)}`);
    }
    return countTests(await readFile(report, 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function countTests(report: string): TestRun {
  const files = reportSchema.parse(JSON.parse(report)).testResults;
  const tests = files.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, isAttack: isAttack(name, test.title) })),
  );
  const ran = tests.filter(({ status }) => status === 'passed' || status === 'failed');
  const red = ran.filter(({ status }) => status === 'failed');
  const failed = red.filter(({ failureMessages }) => !failureMessages.every(isTimeout));
  if (ran.length === 0) throw new Error('no test of the program was run');
  if (failed.length === 0 && red.length > 0) {
    throw new Error(`${red.length} tests timed out and none failed otherwise`);
  }
  return {
    attacks: ran.filter((test) => test.isAttack).length,
    passed: ran.length - red.length,
    failed: failed.map(({ fullName }) => fullName),
  };
}

function isTimeout(message: string): boolean {
  return TIMEOUT.test(message);
}

function isAttack(file: string, title: string): boolean {
  return file.includes('/program/tests/attacks/') || title.startsWith('refuses when ');
}
