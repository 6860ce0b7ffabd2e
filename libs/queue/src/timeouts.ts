/** A producer adds nudges, a worker takes them. */
export type Role = 'producer' | 'worker';

/**
 * How long a command may stay without a response before its connection counts as lost. A worker's
 * longest command waits 5 s for a job.
 */
export const RESPONSE_TIMEOUT_MS = { producer: 3_000, worker: 15_000 };

/** In Postgres it also bounds the wait for a free connection, which the many lanes share. */
export const CONNECT_TIMEOUT_MS = { producer: 5_000, worker: 10_000 };

/** For the end of BullMQ's own work; it needs the store, which may be away. */
export const CLOSE_TIMEOUT_MS = 3_000;
