/**
 * Loaded first: every time limit of a call is three times as long. A send may then still be waiting
 * for its answer when the same bytes go out again, however slow the machine is.
 */
const TIMES = 3;
const realTimeout = AbortSignal.timeout.bind(AbortSignal);

AbortSignal.timeout = (delayMs) => realTimeout(delayMs * TIMES);
