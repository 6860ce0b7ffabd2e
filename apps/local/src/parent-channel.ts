import type { SupervisedProcess } from './supervised-process.ts';
import { describeDeath } from './supervised-process.ts';
import { StartError } from './start-error.ts';
import { withLastLines } from './log-file.ts';

/**
 * The first words between the supervisor and a process that it starts with options: the supervisor
 * sends `start`, the process answers `ready` or `failed`, once.
 */
type Answer<Ready> =
  | { readonly kind: 'ready'; readonly ready: Ready }
  | { readonly kind: 'failed'; readonly message: string };

/** What a process serves once it has started. */
export interface Served<Ready> {
  /** Told to the supervisor. */
  readonly ready: Ready;
  /** Ends it tidily; called once. */
  readonly stop: () => Promise<void>;
}

/**
 * Runs the process side: waits for the options, starts, answers, and stops on SIGTERM or when the
 * supervisor goes away. A start that fails is told to the supervisor, which then ends the process.
 */
export function serveParent<Options, Ready>(
  start: (options: Options) => Promise<Served<Ready>>,
): void {
  let served: Promise<Served<Ready>> | undefined;
  async function end(code: number): Promise<void> {
    const running = await served?.catch(() => undefined);
    await running?.stop();
    process.exit(code);
  }
  process.once('message', (options) => {
    served = start(options as Options);
    served.then(
      ({ ready }) => tell({ kind: 'ready', ready }),
      // Whoever is told ends this process: ending here could overtake the message.
      (error: unknown) => tell({ kind: 'failed', message: messageOf(error) }),
    );
  });
  process.once('SIGTERM', () => void end(0));
  process.once('disconnect', () => void end(1));
  process.on('SIGINT', () => undefined);

  function tell(answer: Answer<Ready>): void {
    process.send?.(answer);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Runs the supervisor side: sends the options and waits for `ready`.
 * @throws StartError when the process fails, ends, or says nothing within `timeoutMs`.
 */
export async function startOverChannel<Options extends object, Ready>(
  supervised: SupervisedProcess,
  options: Options,
  timeoutMs: number,
): Promise<Ready> {
  const answer = Promise.withResolvers<Answer<Ready>>();
  supervised.child.once('message', (message) => answer.resolve(message as Answer<Ready>));
  supervised.child.send(options);
  const timer = setTimeout(() => {
    const sentence = `${supervised.name} was not ready within ${timeoutMs / 1000} s.`;
    answer.reject(new StartError(withLastLines(sentence, supervised.logFile)));
  }, timeoutMs);
  const died = supervised.exited.then((exit): never => {
    throw new StartError(describeDeath(supervised, exit));
  });
  died.catch(() => undefined);
  try {
    const first = await Promise.race([answer.promise, died]);
    if (first.kind === 'failed') throw new StartError(first.message);
    return first.ready;
  } catch (error) {
    supervised.signal('SIGKILL');
    await supervised.exited;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
