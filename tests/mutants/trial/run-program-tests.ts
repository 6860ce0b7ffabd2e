import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { runInGroup } from './run-in-group.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FAILED_TESTS = 1;

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), title: z.string(), status: z.string() }),
      ),
    }),
  ),
});

export interface TestRun {
  /** Number of attacks: the tests of `attacks/`, and those that spoil one part of a valid call. */
  readonly attacks: number;
  readonly passed: number;
  /** Full names of the tests that failed. */
  readonly failed: readonly string[];
}

/**
 * Runs tests of the program on LiteSVM in a process of their own: the files whose names contain one
 * of `words`, on the build `wallet` or else on the committed one. `signal` stops them. Throws when
 * no test could be run.
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
  const failed = ran.filter(({ status }) => status === 'failed');
  if (ran.length === 0) throw new Error('no test of the program was run');
  return {
    attacks: ran.filter((test) => test.isAttack).length,
    passed: ran.length - failed.length,
    failed: failed.map(({ fullName }) => fullName),
  };
}

function isAttack(file: string, title: string): boolean {
  return file.includes('/program/tests/attacks/') || title.startsWith('refuses when ');
}
