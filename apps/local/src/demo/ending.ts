/** npm and the launcher pass a Ctrl-C on that the terminal has sent too: that is one press. */
const SAME_PRESS_MS = 1_000;

/** Why the story is to end before its end. */
export type Ending = {
  /** Aborted with an Error that says why. */
  readonly signal: AbortSignal;
  readonly wasInterrupted: () => boolean;
  /** Ends the story for a reason of our own, such as a process of the system that is gone. */
  end(reason: string): void;
  /** From now on a Ctrl-C ends the story tidily; before, it ends this process at once. */
  begun(): void;
};

/** Listens for Ctrl-C, SIGTERM and the end of the launcher. A second Ctrl-C ends at once. */
export function listenForEnding(): Ending {
  const controller = new AbortController();
  let isRunning = false;
  let interruptedAtMs: number | undefined;
  function interrupt(): void {
    const nowMs = performance.now();
    // What is being started ends by itself when this process is gone.
    if (!isRunning) process.exit(130);
    if (interruptedAtMs !== undefined && nowMs - interruptedAtMs > SAME_PRESS_MS) process.exit(130);
    interruptedAtMs ??= nowMs;
    controller.abort(new Error('interrupted'));
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, interrupt);
  process.once('disconnect', interrupt);
  // Listening must not keep this process running when all is told.
  process.channel?.unref();
  return {
    signal: controller.signal,
    wasInterrupted: () => interruptedAtMs !== undefined,
    end: (reason) => controller.abort(new Error(reason)),
    begun: () => {
      isRunning = true;
    },
  };
}
