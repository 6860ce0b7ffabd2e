import type { Words } from './words.ts';

const NOTHING_PAID = 'Nothing was paid.';

/** Faults of the service, which neither the agent nor the owner has caused. */
export const FAULT_WORDS = {
  EXPIRED_UNSENT: { why: `The service could not start the payment in time. ${NOTHING_PAID}` },
  NEVER_LANDED: { why: `The payment did not reach the chain in time. ${NOTHING_PAID}` },
  RPC_UNAVAILABLE: { why: 'The chain could not be read.' },
  RECOVERING: {
    why: 'The service accepts no payments at the moment: it is being maintained, or was restored and checks older payments first.',
  },
  DATABASE_UNAVAILABLE: { why: "The service's database was not available." },
  SESSION_KEYS_NOT_READY: { why: 'No session key was ready.' },
  SERVER_MISCONFIGURED: { why: 'The service is not set up correctly.' },
  INTERNAL: { why: 'An internal fault of the service stopped it.' },
  CHAIN_MISMATCH: { why: 'The service is connected to another chain than before.' },
  FEE_PAYERS_EMPTY: { why: 'The service had no SOL left for network fees.' },
  SIGNER_MISMATCH: { why: 'The service refused to sign: the transaction was not the payment.' },
  KEYSTORE_UNAVAILABLE: { why: 'The service could not open the key of the session.' },
  AUDIT_BROKEN: { why: 'The log of decisions does not verify.' },
} as const satisfies Record<string, Words>;
