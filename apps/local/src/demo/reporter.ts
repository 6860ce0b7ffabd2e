import { inspect, isDeepStrictEqual } from 'node:util';

/** Reports what one step does and compares what it finds. */
export type Step = {
  /** A request to the system. */
  request(text: string): void;
  /** The system's reply. */
  reply(text: string): void;
  /** The effect on the chain. */
  chain(text: string): void;
  /** Shown in the progress line while the step waits. */
  progress(text: string): void;
  /** A comparison that fails makes the step ✗; the step goes on. */
  expect(what: string, expected: unknown, got: unknown): void;
  /** As `expect`, for a text that must contain another. */
  expectPart(what: string, part: string, text: string | null | undefined): void;
};

export type Reporter = {
  chapter(title: string): void;
  /**
   * Runs and shows one step. When `run` throws, shows the step as ✗ and rethrows, because later
   * steps build on this one.
   */
  step<T>(title: string, run: (step: Step) => Promise<T>): Promise<T>;
  note(text: string): void;
  counts(): { readonly steps: number; readonly asExpected: number };
};

/** The reporter's output. On a `rewritable` one, a terminal, the progress line replaces itself. */
export type Screen = { write(text: string): void; readonly rewritable: boolean };

const REWRITE_INTERVAL_MS = 250;
/** Where lines stay, as in a CI log, progress is shown less often. */
const LINE_INTERVAL_MS = 10_000;

/** Shows the steps of a story as they end, and counts those that went as expected. */
export function createReporter(screen: Screen): Reporter {
  let steps = 0;
  let asExpected = 0;
  const line = (text: string): void => screen.write(`${text}\n`);

  async function step<T>(title: string, run: (step: Step) => Promise<T>): Promise<T> {
    steps += 1;
    const page = createPage();
    const name = `${steps}. ${title}`;
    const startedMs = performance.now();
    const progress = showProgress(screen, name, () => page.latestProgress());
    try {
      return await run(page.step);
    } catch (error) {
      page.differs(`the step failed: ${describeError(error)}`);
      throw error;
    } finally {
      progress.stop();
      if (page.isAsExpected()) asExpected += 1;
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
      line(`${page.isAsExpected() ? '✓' : '✗'} ${name} (${seconds} s)`);
      for (const text of page.lines) line(`    ${text}`);
    }
  }

  return {
    chapter: (title) => line(`\n${title}`),
    step,
    note: line,
    counts: () => ({ steps, asExpected }),
  };
}

type Page = {
  readonly step: Step;
  readonly lines: readonly string[];
  isAsExpected(): boolean;
  latestProgress(): string;
  differs(text: string): void;
};

/** The lines of one step so far. */
function createPage(): Page {
  const lines: string[] = [];
  let differences = 0;
  let latest = '';
  const differs = (text: string): void => {
    differences += 1;
    lines.push(`✗ ${text}`);
  };
  return {
    step: {
      request: (text) => lines.push(`request ${text}`),
      reply: (text) => lines.push(`reply   ${text}`),
      chain: (text) => lines.push(`chain   ${text}`),
      progress: (text) => {
        latest = text;
      },
      expect: (what, expected, got) => {
        if (isDeepStrictEqual(expected, got)) return;
        differs(`${what}: expected ${show(expected)}, got ${show(got)}`);
      },
      expectPart: (what, part, text) => {
        if (text?.includes(part) === true) return;
        differs(`${what}: expected it to contain ${show(part)}, got ${show(text)}`);
      },
    },
    lines,
    isAsExpected: () => differences === 0,
    latestProgress: () => latest,
    differs,
  };
}

function showProgress(screen: Screen, name: string, latest: () => string): { stop(): void } {
  const startedMs = performance.now();
  const timer = setInterval(
    () => {
      const seconds = Math.round((performance.now() - startedMs) / 1000);
      const text = `… ${name} ${latest()} (${seconds} s)`;
      screen.write(screen.rewritable ? `\r\u001B[K${text}` : `${text}\n`);
    },
    screen.rewritable ? REWRITE_INTERVAL_MS : LINE_INTERVAL_MS,
  );
  return {
    stop: () => {
      clearInterval(timer);
      if (screen.rewritable) screen.write('\r\u001B[K');
    },
  };
}

const show = (value: unknown): string => inspect(value, { breakLength: Infinity });

/** The message of an error with those of its causes: "fetch failed" alone says nothing. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `: ${describeError(error.cause)}`;
  return `${error.message}${cause}`;
}
