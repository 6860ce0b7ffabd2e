/** npm and the launcher forward a Ctrl-C that the terminal sends as well: both are one press. */
const SAME_PRESS_MS = 1_000;

export type StopListener = {
  /** Aborted at the first request to stop, with an Error that says `interrupted`. */
  readonly signal: AbortSignal;
  /** From now on the first request stops cleanly; before, it exits this process at once. */
  begun(): void;
};

/**
 * Listens for requests to stop: Ctrl-C, SIGTERM, SIGHUP and the exit of the launcher. A second
 * Ctrl-C exits at once.
 */
export function listenForStop(): StopListener {
  const controller = new AbortController();
  let isRunning = false;
  let firstAtMs: number | undefined;
  function stop(): void {
    const nowMs = performance.now();
    // Processes that have started so far exit by themselves when this process is gone.
    if (!isRunning) process.exit(130);
    if (firstAtMs !== undefined && nowMs - firstAtMs > SAME_PRESS_MS) process.exit(130);
    firstAtMs ??= nowMs;
    controller.abort(new Error('interrupted'));
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop);
  process.once('disconnect', stop);
  // The listener must not keep the process alive when its work is done.
  process.channel?.unref();
  return {
    signal: controller.signal,
    begun: () => {
      isRunning = true;
    },
  };
}
