import { z } from 'zod';

const minutesSetting = z.coerce.number().positive().max(1_440).default(40);

/** The current part of the bench, for the message. Disposal ends the limit. */
export type TimeLimit = Disposable & { at(part: string): void };

/**
 * Exits this process with 1 and one sentence when the bench exceeds `BENCH_MINUTES`. The systems
 * that it started end with it.
 */
export function limitTime(env: NodeJS.ProcessEnv): TimeLimit {
  const minutes = minutesSetting.parse(env['BENCH_MINUTES']);
  let current = 'start';
  const timer = setTimeout(() => {
    console.error(
      `The bench was stopped after ${minutes} minutes, during: ${current}. No measurement is ` +
        'complete; BENCH_MINUTES sets the limit.',
    );
    process.exit(1);
  }, minutes * 60_000);
  return {
    at: (part) => {
      current = part;
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
