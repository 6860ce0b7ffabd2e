import type { SessionState } from '@agent-wallet/chain';
import type { LaneLoad } from '@agent-wallet/spend';
import { expect, test } from 'vitest';
import { type ChainView, canPipeline } from './pipeline.ts';

const NOW_MS = Date.UTC(2026, 0, 2, 12);
const HOUR = BigInt(NOW_MS / 3_600_000);

function view({ cap = 100n, spentThisHour = 0n, liquid = 1_000n } = {}): ChainView {
  const buckets = Array.from({ length: 25 }, (_, index) =>
    BigInt(index) === HOUR % 25n ? spentThisHour : 0n,
  );
  const session: SessionState = {
    vault: 'vault',
    sessionPubkey: 'key',
    index: 0n,
    maxPerTx: 1_000n,
    dailyCap: cap,
    expiry: 0n,
    allowedInstructions: 1,
    recipients: [],
    dailySpent: spentThisHour,
    dailyWindowStart: 0n,
    window: { buckets, lastSeen: BigInt(NOW_MS / 1_000) },
    replay: { highestSeq: 0n, bitmap: [0n, 0n, 0n, 0n] },
  };
  return { session, liquid, slot: 1n };
}

const load = (session: bigint, wallet: bigint, movesYield = false): LaneLoad => ({
  session,
  wallet,
  movesYield,
});

test.each<[string, ChainView, LaneLoad, bigint, boolean]>([
  ['all together reach the cap', view(), load(60n, 60n), 40n, true],
  ['all together pass the cap by one', view(), load(60n, 60n), 41n, false],
  ['the window counts', view({ spentThisHour: 1n }), load(60n, 60n), 40n, false],
  ['all together take the balance', view({ liquid: 70n }), load(0n, 60n), 10n, true],
  ['other sessions take it', view({ liquid: 70n }), load(0n, 60n), 11n, false],
  ['yield is in flight', view(), load(0n, 0n, true), 1n, false],
])('pipelining when %s', (_case, chainView, beside, amount, expected) => {
  expect(canPipeline(chainView, beside, { kind: 'transfer', amount }, NOW_MS)).toBe(expected);
});

test.each(['yield_deposit', 'yield_withdraw'] as const)('a %s goes alone', (kind) => {
  expect(canPipeline(view(), load(0n, 0n), { kind, amount: 1n }, NOW_MS)).toBe(false);
});
