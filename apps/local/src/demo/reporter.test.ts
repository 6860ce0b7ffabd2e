import { afterEach, describe, expect, it, vi } from 'vitest';
import { createReporter, type Step } from './reporter.ts';
import { exitCodeOf, summaryOf } from './summary.ts';

function onPaper(): { text: string; write(text: string): void; readonly rewritable: false } {
  return {
    text: '',
    write(text) {
      this.text += text;
    },
    rewritable: false,
  };
}

const told = { brokeOff: null, wasInterrupted: false };

async function tell(...runs: readonly ((step: Step) => void)[]) {
  const paper = onPaper();
  const reporter = createReporter(paper);
  for (const run of runs) await reporter.step('a step', async (step) => run(step));
  return { text: paper.text, counts: reporter.counts() };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('the reporter', () => {
  it('exits with 0 when each step went as expected', async () => {
    const { text, counts } = await tell(
      (step) => step.expect('balance', { vault: 5n }, { vault: 5n }),
      (step) => step.expectPart('detail', '0xbc4', 'custom program error: 0xbc4'),
    );
    expect(text).toMatch(/^✓ 1\. a step[^]*^✓ 2\. a step/m);
    expect(counts).toEqual({ steps: 2, asExpected: 2 });
    expect(exitCodeOf({ counts, ...told })).toBe(0);
  });

  it('shows the expected and actual value of a difference, continues, and exits with 1', async () => {
    const { text, counts } = await tell(
      (step) => {
        step.reply('200 confirmed');
        step.expect('status', 402, 200);
        step.expect('error', 'same', 'same');
      },
      () => {},
    );
    expect(text).toMatch(/^✗ 1\. a step/m);
    expect(text).toContain('reply   200 confirmed');
    expect(text).toContain('✗ status: expected 402, got 200');
    expect(text).not.toContain('✗ error');
    expect(text).toMatch(/^✓ 2\. a step/m);
    expect(exitCodeOf({ counts, ...told })).toBe(1);
  });

  it.each([
    ['a bigint is not the number', 1n, 1],
    ['one base unit is a difference', 2n ** 64n - 1n, 2n ** 64n - 2n],
    ['a missing row is a difference', ['a', 'b'], ['a']],
    ['undefined is not null', null, undefined],
  ])('%s', async (_name, expected, got) => {
    const { counts } = await tell((step) => step.expect('value', expected, got));
    expect(counts.asExpected).toBe(0);
  });

  it.each([null, undefined, '', 'AccountInUse'])('misses a part in %j', async (text) => {
    const { counts } = await tell((step) => step.expectPart('detail', 'NotInitialized', text));
    expect(counts.asExpected).toBe(0);
  });

  it('shows a step that throws as ✗ with its causes, and rethrows', async () => {
    const paper = onPaper();
    const reporter = createReporter(paper);
    const fault = new Error('fetch failed', { cause: new Error('connection refused') });
    await expect(
      reporter.step('a call', async () => {
        throw fault;
      }),
    ).rejects.toBe(fault);
    expect(paper.text).toContain('✗ the step failed: fetch failed: connection refused');
    const outcome = { counts: reporter.counts(), brokeOff: 'fetch failed', wasInterrupted: false };
    expect(exitCodeOf(outcome)).toBe(1);
  });

  it('shows progress every ten seconds where lines stay', async () => {
    vi.useFakeTimers();
    const paper = onPaper();
    const waiting = createReporter(paper).step('a long one', async (step) => {
      step.progress('3 answered');
      await new Promise((resolve) => {
        setTimeout(resolve, 25_000);
      });
    });
    await vi.advanceTimersByTimeAsync(25_000);
    await waiting;
    expect(paper.text.match(/^… 1\. a long one 3 answered/gm)).toHaveLength(2);
  });
});

describe('the end of the demo', () => {
  const nothing = { steps: 0, asExpected: 0 };
  const allFine = { steps: 3, asExpected: 3 };

  it.each([
    ['without a single step', { counts: nothing, brokeOff: null, wasInterrupted: false }, 1],
    ['broken off after good steps', { counts: allFine, brokeOff: 'why', wasInterrupted: false }, 1],
    ['interrupted', { counts: allFine, brokeOff: 'interrupted', wasInterrupted: true }, 130],
  ])('%s is no success', (_name, outcome, exitCode) => {
    expect(exitCodeOf(outcome)).toBe(exitCode);
  });

  it('is one line with the counts', () => {
    const allowed = [{ spendId: 'a', recipient: 'r', amount: 1_500_000n, txSignature: 's' }];
    const ledger = { allowed: () => allowed, denied: () => [] };
    const outcome = { counts: allFine, brokeOff: null, wasInterrupted: false };
    expect(summaryOf(outcome, ledger, 12.4)).toBe(
      'demo: 3 of 3 steps as expected, 1 spends landed (1.5 USDC paid), 0 refused, 12 s',
    );
    const broken = { ...outcome, brokeOff: 'api ended. Its log:\n  | a line' };
    expect(summaryOf(broken, ledger, 12.4)).toMatch(/, 12 s; stopped early: api ended\. Its log:$/);
  });
});
