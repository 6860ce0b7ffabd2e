/** What all rows of one run share. A stage opens when the first row needs it. */
import { openPlainStage, type PlainStage } from '../reference/open-plain-stage.ts';
import { openStage, type Stage, type StageOptions } from './open-stage.ts';

export const WALLETS = 5;
export const SESSIONS_EACH = 20;

export type Bench = AsyncDisposable & {
  /** Smaller loads and one round: numbers to develop with, not to publish. */
  readonly isQuick: boolean;
  readonly rounds: number;
  /** A system of ours with 5 wallets of 20 sessions each. */
  readonly shared: () => Promise<Stage>;
  /** The plain handler with as many, on a chain of its own. */
  readonly plain: () => Promise<PlainStage>;
  /** A system of ours for one row, which disposes it. */
  readonly open: (options: StageOptions) => Promise<Stage>;
  readonly progress: (line: string) => void;
  /** Reports that money or counts disagree: then no number counts, and the exit code is 1. */
  readonly wrong: (sentence: string) => void;
  /** The shared system, when a row has opened it. */
  readonly opened: () => Promise<Stage | undefined>;
};

const ROUNDS = 3;
/** The row `refusals` has more requests refused than an agent may by default. */
const UNLIMITED = {
  SESSION_REFUSALS_PER_HOUR: '1000000',
  WALLET_REFUSALS_PER_HOUR: '1000000',
} as const;

export function createBench({ isQuick }: { readonly isQuick: boolean }): Bench {
  const stack = new AsyncDisposableStack();
  const startedMs = performance.now();
  const progress = (line: string): void => {
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
    console.log(`${seconds.padStart(5)} s  ${line}`);
  };
  let shared: Promise<Stage> | undefined;
  let plain: Promise<PlainStage> | undefined;

  async function openShared(): Promise<Stage> {
    progress('starting a system with 100 sessions');
    const size = { wallets: WALLETS, sessionsEach: SESSIONS_EACH };
    return stack.use(
      await openStage({ name: 'shared', system: { env: { api: UNLIMITED } }, ...size }),
    );
  }
  async function openPlain(): Promise<PlainStage> {
    const { system } = await (shared ??= openShared());
    progress('starting the plain handler with 100 sessions');
    const size = { wallets: WALLETS, sessionsEach: SESSIONS_EACH };
    return stack.use(await openPlainStage({ databaseUrl: system.databaseUrl, ...size }));
  }

  return {
    isQuick,
    rounds: isQuick ? 1 : ROUNDS,
    shared: () => (shared ??= openShared()),
    plain: () => (plain ??= openPlain()),
    open: openStage,
    progress,
    wrong: (sentence) => {
      console.error(`WRONG: ${sentence}`);
      process.exitCode = 1;
    },
    opened: async () => shared,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
