import { setTimeout as delay } from 'node:timers/promises';
import { type Database, readIntake, setDrained } from '@agent-wallet/db';
import { countOpen, type OpenWork } from '@agent-wallet/spend';
import { CliError, EXIT } from '../../cli-error.ts';
import type { Context } from '../../command-line/add-command.ts';
import { done, type Outcome } from '../../command-line/outcome.ts';
import type { OpsConfig } from '../config.ts';
import { openDatabase } from './open-database.ts';

const LOOK_EVERY_MS = 1_000;

type DrainContext = Pick<Context, 'terminal' | 'signal'>;

/**
 * `ops drain`: stops the acceptance of spends and waits until none is open. Exit code 3 when some
 * still are after `timeoutMs`; they go on. Throws a CliError before the first start and on Ctrl-C.
 */
export async function drainCommand(
  config: OpsConfig,
  { timeoutMs }: { readonly timeoutMs: number },
  { terminal, signal }: DrainContext,
): Promise<Outcome> {
  await using stack = new AsyncDisposableStack();
  const db = await openDatabase(stack, config);
  const since = await setDrained(db, { isDrained: true });
  if (since === null) throw neverStarted();
  terminal.note(
    `No spend is accepted since ${since.toISOString()}. "agent-wallet ops drain --resume" ends this.`,
  );
  const waiting = waitUntilDone(db, { timeoutMs, signal, note: (line) => terminal.note(line) });
  const open = await terminal.whileWaiting('waiting for open spends', waiting);
  const json = {
    drained_since: since.toISOString(),
    queued: open.queued,
    in_flight: open.inFlight,
    deliveries: open.deliveries,
  };
  if (isDone(open)) return done('Drained: no spend is open.', json);
  const text =
    `Still open: ${wordsOf(open)}. They go on; run the command again to wait for them, ` +
    'or "agent-wallet ops stuck" to see what they wait for.';
  return { exitCode: EXIT.pending, text, json };
}

/** `ops drain --resume`: accepts spends again. Throws a CliError before the first start. */
export async function resumeCommand(config: OpsConfig): Promise<Outcome> {
  await using stack = new AsyncDisposableStack();
  const db = await openDatabase(stack, config);
  await setDrained(db, { isDrained: false });
  const intake = await readIntake(db);
  if (intake === null) throw neverStarted();
  const json = { accepting: intake.isOpen };
  if (intake.isOpen) return done('Spends are accepted again.', json);
  const text = `The drain is over, and intake is closed: ${intake.reason ?? 'the database was replaced'}. The confirm-worker opens it.`;
  return { exitCode: EXIT.refused, text, json };
}

async function waitUntilDone(
  db: Database,
  wait: {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly note: (line: string) => void;
  },
): Promise<OpenWork> {
  const deadline = performance.now() + wait.timeoutMs;
  let told = '';
  for (;;) {
    const open = await countOpen(db);
    if (isDone(open) || performance.now() >= deadline) return open;
    const words = wordsOf(open);
    if (words !== told)
      wait.note(`open: ${words}, the oldest since ${Math.floor(open.oldestSeconds)} s`);
    told = words;
    await delay(LOOK_EVERY_MS, undefined, { signal: wait.signal }).catch(() => {
      throw new CliError(
        'Interrupted: no spend is accepted until "agent-wallet ops drain --resume".',
      );
    });
  }
}

const isDone = ({ queued, inFlight, deliveries }: OpenWork): boolean =>
  queued === 0 && inFlight === 0 && deliveries === 0;

const wordsOf = ({ queued, inFlight, deliveries }: OpenWork): string =>
  `${queued} queued, ${inFlight} in flight, ${deliveries} deliveries`;

const neverStarted = (): CliError =>
  new CliError('No process has ever been started on this database.');
