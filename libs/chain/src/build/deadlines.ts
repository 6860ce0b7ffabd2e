/** Deadlines: the last second, on the chain's clock, in which the program executes an instruction. */

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/**
 * How long the program executes a signature of the owner that could do harm later. The blockhash
 * alone does not end it: the owner's wallet may replace it, also by a durable nonce, which never
 * expires.
 */
export const OWNER_DEADLINE_MINUTES = 10;

/**
 * The deadline of what a session key signs, the largest there is. The blockhash ends such a
 * transaction, and its sequence number lets it pass once.
 */
export const NO_DEADLINE = 2n ** 63n - 1n;

/** The deadline, in unix seconds, of what an owner is given to sign at this time of day. */
export function ownerDeadline(nowMs: number): bigint {
  return BigInt(Math.floor((nowMs + OWNER_DEADLINE_MINUTES * MINUTE_MS) / SECOND_MS));
}
