import { describe, expect, it } from 'vitest';

import { sendOutcomeOf, type SendOutcome } from './send-outcome.ts';
import type { RpcReply } from './simulation.ts';

const OURS = 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm';
const originOf = () => ({
  instructionPrograms: [OURS],
  programId: OURS,
  errorNames: new Map([[6002, 'DailyCapExceeded']]),
});
const LOGS = [`Program ${OURS} invoke [1]`, `Program ${OURS} failed: custom program error: 0x1772`];
const ERR = { InstructionError: [0, { Custom: 6002 }] };
const error = (code: number, message: string, data: unknown = null): RpcReply => ({
  ok: false,
  code,
  message,
  data,
});

const preflight = (data: unknown, message = 'x'): RpcReply => error(-32_002, message, data);
const PROCESSED = preflight(null, 'This transaction has already been processed');

describe('the reply to a send', () => {
  it.each<[string, RpcReply, SendOutcome['kind']]>([
    ['a signature', { ok: true, result: '5'.repeat(88) }, 'accepted'],
    ['no signature', { ok: true, result: null }, 'unknown'],
    ['a preflight refusal by our program', preflight({ err: ERR, logs: LOGS }), 'refused'],
    ['the same under another code', error(-32_000, 'x', { err: ERR, logs: LOGS }), 'unknown'],
    ['a preflight failure without logs', preflight({ err: ERR, logs: null }), 'unknown'],
    ['an unknown blockhash', preflight({ err: 'BlockhashNotFound', logs: [] }), 'not_taken'],
    ['landed before', PROCESSED, 'already_processed'],
    ['landed before, as data', preflight({ err: 'AlreadyProcessed' }), 'already_processed'],
    ['a node behind', error(-32_016, 'Minimum context slot has not been reached'), 'not_taken'],
    ['a node that is unhealthy', error(-32_005, 'Node is behind by 42 slots'), 'not_taken'],
    ['garbage', error(0, '', 'garbage'), 'unknown'],
  ])('%s', (_case, reply, kind) => {
    expect(sendOutcomeOf(reply, originOf).kind).toBe(kind);
  });
});
