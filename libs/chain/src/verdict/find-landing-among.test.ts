import { AppError } from '@agent-wallet/errors';
import { describe, expect, it } from 'vitest';

import { emptyTransactionAt } from '../../../../tests/support/chain/empty-transaction.ts';
import { findLandingAmong } from './find-landing-among.ts';

const SPEND = '0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6071';
const query = {
  sessionPda: 'session',
  sessionIndex: 3n,
  spendSeq: 7n,
  spendId: SPEND,
  sinceSlot: 100n,
  minContextSlot: 500n,
  commitment: 'finalized' as const,
};
const event = {
  name: 'UsdcTransferred',
  data: {
    session: 'session',
    session_index: 3n,
    spend_seq: 7n,
    spend_id: SPEND.replaceAll('-', ''),
  },
  instructionIndex: 2,
  innerIndex: 1,
};
const program = { eventsOf: () => [event] };
const OURS = { kind: 'ours', signature: 'a', slot: 200n };

type Endpoint = Parameters<typeof findLandingAmong>[0][number];

const endpoint = (signatures: readonly string[], slot = 500n, readable = true): Endpoint => ({
  slot: async () => slot,
  signaturesFor: async () => signatures.map((signature) => ({ signature, slot: 200n, err: null })),
  transaction: async () => (readable ? emptyTransactionAt(200n) : null),
});
const pruned = endpoint([]);
const good = endpoint(['a']);
const behind = endpoint([], 499n);
const unreadable = endpoint(['a'], 500n, false);
const away: Endpoint = {
  ...pruned,
  slot: async () => {
    throw new AppError('RPC_UNAVAILABLE');
  },
};

describe('the search on several endpoints', () => {
  it.each<[string, readonly Endpoint[], object, number]>([
    ['finds what a pruned one has lost', [pruned, good], OURS, 1],
    ['finds it where one is away', [away, good], OURS, 0],
    ['counts two that show nothing', [pruned, pruned], { kind: 'nothing', complete: true }, 2],
    ['stops at enough', [pruned, pruned, good], { kind: 'nothing', complete: true }, 2],
    ['does not count one that is behind', [pruned, behind], { kind: 'nothing', complete: true }, 1],
    ['does not count one that is away', [pruned, away], { kind: 'nothing', complete: true }, 1],
    ['does not count what is incomplete', [unreadable], { kind: 'nothing', complete: false }, 0],
  ])('%s', async (_case, endpoints, landing, corroborations) => {
    const found = await findLandingAmong(endpoints, program, query, 2);
    expect(found).toEqual({ landing, corroborations });
  });

  it('throws when none answers', async () => {
    await expect(findLandingAmong([away, away], program, query, 2)).rejects.toThrow(
      'RPC_UNAVAILABLE',
    );
  });
});
