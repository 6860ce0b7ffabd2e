/**
 * Loaded first: triples the timeouts of all calls, so that a send may still be waiting for its
 * answer when the same bytes are sent again, even on a slow machine.
 */
const TIMES = 3;
const realTimeout = AbortSignal.timeout.bind(AbortSignal);

AbortSignal.timeout = (delayMs) => realTimeout(delayMs * TIMES);
