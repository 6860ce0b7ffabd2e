import { z } from 'zod';
import { type SupervisedProcess, describeDeath } from './supervised-process.ts';
import { StartError } from '../system/start-error.ts';
import { withLastLines } from './log-file.ts';

/**
 * The handshake between the supervisor and a process that it starts with options: the supervisor
 * sends the options, the process replies once, with `ready` or `failed`.
 */
const answerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), ready: z.unknown() }),
  z.object({ kind: z.literal('failed'), message: z.string() }),
]);

type Answer = z.infer<typeof answerSchema>;

/** A process that has started. */
export interface Served<Ready> {
  /** Sent to the supervisor. */
  readonly ready: Ready;
  /** Shuts it down; called once. */
  readonly stop: () => Promise<void>;
}

/**
 * Runs the process side: waits for the options, starts, replies, and stops on SIGTERM or when the
 * supervisor exits. A failed start is reported to the supervisor, which then ends the process.
 */
export function serveParent<Options, Ready>(
  schema: z.ZodType<Options>,
  start: (options: Options) => Promise<Served<Ready>>,
): void {
  let served: Promise<Served<Ready>> | undefined;
  async function end(code: number): Promise<void> {
    const running = await served?.catch(() => undefined);
    await running?.stop();
    process.exit(code);
  }
  process.once('message', (message) => {
    served = start(schema.parse(message));
    void sendOutcome(served);
  });
  process.once('SIGTERM', () => void end(0));
  process.once('disconnect', () => void end(1));
}

/** After `failed` the supervisor ends this process: an exit here could overtake the message. */
async function sendOutcome(served: Promise<Served<unknown>>): Promise<void> {
  const answer = await served.then(
    ({ ready }): Answer => ({ kind: 'ready', ready }),
    (error: unknown): Answer => ({ kind: 'failed', message: messageOf(error) }),
  );
  process.send?.(answer);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Runs the supervisor side: sends the options and waits for `ready`. Throws StartError when the
 * process fails, ends, or does not reply within `timeoutMs`.
 */
export async function startOverChannel<Ready>(
  supervised: SupervisedProcess,
  options: object,
  schema: z.ZodType<Ready>,
  timeoutMs: number,
): Promise<Ready> {
  const answer = Promise.withResolvers<Answer>();
  supervised.child.once('message', (message) => answer.resolve(answerSchema.parse(message)));
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
    return schema.parse(first.ready);
  } catch (error) {
    supervised.signal('SIGKILL');
    await supervised.exited;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
