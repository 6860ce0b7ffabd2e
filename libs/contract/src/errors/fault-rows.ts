import { SAMPLE } from '../fields/samples.ts';
import type { ErrorRows } from './error-row.ts';

const RPC_UNAVAILABLE = { status: 503, error: 'rpc unavailable', retryable: true } as const;
const MISCONFIGURED = { status: 500, error: 'server misconfigured', retryable: false } as const;
const INTERNAL = { status: 500, error: 'internal error', retryable: false } as const;

const NOTHING_MOVED = {
  ...RPC_UNAVAILABLE,
  remedy: 'nothing moved: retry, with a new Idempotency-Key if this request had one',
  example: { spend_id: SAMPLE.spendId },
} as const;

/** Refusals that no caller caused. They say no more than a client may know. */
export const FAULT_ROWS = {
  RPC_UNAVAILABLE: {
    ...RPC_UNAVAILABLE,
    when: 'the chain cannot be read; nothing was accepted',
  },
  RECOVERING: {
    ...RPC_UNAVAILABLE,
    when: 'the database was restored and older spends may still land, or the operator drains the service; nothing was accepted',
  },
  EXPIRED_UNSENT: {
    ...NOTHING_MOVED,
    // After a restore the key may have paid for a forgotten request: a new one would pay again.
    remedy: 'nothing moved: retry, with the same Idempotency-Key if this request had one',
    when: 'no lane started the spend in time: nothing moved',
  },
  NEVER_LANDED: {
    ...NOTHING_MOVED,
    when: 'the chain has proven that no attempt landed or can land: nothing moved',
  },
  FORKED_OUT: { ...NOTHING_MOVED, when: 'a fork of the chain undid the spend: nothing moved' },
  DATABASE_UNAVAILABLE: {
    status: 503,
    error: 'database unavailable',
    retryable: true,
    when: 'the database is unavailable; with spend_id, the spend may have been accepted',
  },
  SESSION_KEYS_NOT_READY: {
    status: 503,
    error: 'session keys not ready',
    retryable: true,
    when: 'no session key is free right now',
  },
  SERVER_MISCONFIGURED: { ...MISCONFIGURED, when: 'the backend lacks required configuration' },
  INTERNAL: { ...INTERNAL, when: 'an internal fault' },
} as const satisfies ErrorRows;

/** Faults of a start or a worker: no route documents them. */
export const INNER_FAULT_ROWS = {
  CHAIN_MISMATCH: {
    ...MISCONFIGURED,
    when: 'settings, database and chain do not belong together',
  },
  FEE_PAYERS_EMPTY: {
    status: 503,
    error: 'temporarily unavailable',
    retryable: true,
    when: 'every fee payer is below its minimum balance',
  },
  SIGNER_MISMATCH: { ...INTERNAL, when: 'a built transaction differs from the spend it is for' },
  KEYSTORE_UNAVAILABLE: { ...INTERNAL, retryable: true, when: 'a session key cannot be opened' },
  AUDIT_BROKEN: { ...INTERNAL, when: 'the hash chain of the audit log does not verify' },
} as const satisfies ErrorRows;
