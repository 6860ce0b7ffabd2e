import { describe, expect, it } from 'vitest';

import { emptyTransactionAt } from '../../../../tests/support/chain/empty-transaction.ts';
import type { ChainTransaction, SignatureRecord } from '../rpc/read/chain-reads.ts';
import type { ProgramEvent } from '../program/events.ts';
import { findLanding, type LandingQuery } from './find-landing.ts';

const SPEND = '0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6071';
const query: LandingQuery = {
  sessionPda: 'session',
  sessionIndex: 3n,
  spendSeq: 7n,
  spendId: SPEND,
  sinceSlot: 100n,
  commitment: 'confirmed',
};
const event = (change: ProgramEvent['data'] = {}): ProgramEvent => ({
  name: 'UsdcTransferred',
  data: {
    session: 'session',
    session_index: 3n,
    spend_seq: 7n,
    spend_id: SPEND.replaceAll('-', ''),
    ...change,
  },
  instructionIndex: 2,
  innerIndex: 1,
});

type Entry = SignatureRecord & { readonly events: readonly ProgramEvent[] | 'unreadable' };

/** `history` newest first. */
function search(history: readonly Entry[], reads: string[] = []): ReturnType<typeof findLanding> {
  const bySignature = new Map(history.map((entry) => [entry.signature, entry]));
  const transactions = new Map<ChainTransaction, readonly ProgramEvent[]>();
  return findLanding(
    {
      signaturesFor: async (_address, { before, limit }) => {
        const from = history.findIndex(({ signature }) => signature === before) + 1;
        return history.slice(from, from + limit);
      },
      transaction: async (signature) => {
        reads.push(signature);
        const entry = bySignature.get(signature);
        if (entry === undefined || entry.events === 'unreadable') return null;
        const transaction = emptyTransactionAt(entry.slot);
        transactions.set(transaction, entry.events);
        return transaction;
      },
    },
    { eventsOf: (transaction) => transactions.get(transaction) ?? [] },
    query,
  );
}

const entry = (
  signature: string,
  events: Entry['events'],
  slot = 200n,
  err: unknown = null,
): Entry => ({ signature, slot, err, events });

const NOTHING = { kind: 'nothing', complete: true };
const OURS = { kind: 'ours', signature: 'a', slot: 200n };
const OTHER_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const OTHER = { kind: 'other_spend', signature: 'a', slot: 200n, spendId: OTHER_ID };

describe('the search for a landing', () => {
  it.each<[string, readonly Entry[], object]>([
    ['finds ours', [entry('b', []), entry('a', [event()])], OURS],
    ['finds another with our number', [entry('a', [event({ spend_id: 'f'.repeat(32) })])], OTHER],
    ['passes over another number', [entry('a', [event({ spend_seq: 8n })])], NOTHING],
    ['passes over an older session', [entry('a', [event({ session_index: 2n })])], NOTHING],
    ['passes over another session', [entry('a', [event({ session: 'x' })])], NOTHING],
    ['passes over failures', [entry('a', [event()], 200n, 'failed')], NOTHING],
    ['stops at the first attempt', [entry('a', [event()], 99n)], NOTHING],
    ['reports an unreadable one', [entry('a', 'unreadable')], { ...NOTHING, complete: false }],
    ['finds nothing in nothing', [], NOTHING],
  ])('%s', async (_case, history, expected) => {
    expect(await search(history)).toEqual(expected);
  });

  it('continues over many pages and does not read transactions that are too old', async () => {
    const history = Array.from({ length: 900 }, (_, i) => entry(`s${i}`, [], 500n - BigInt(i)));
    history[399] = entry('ours', [event()], 101n);
    const reads: string[] = [];
    expect(await search(history, reads)).toMatchObject({ kind: 'ours' });
    expect(reads).toHaveLength(400);
  });
});
