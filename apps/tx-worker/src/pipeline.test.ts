import type { SessionState } from '@agent-wallet/chain';
import { expect, test } from 'vitest';
import { type ChainView, fitsBeside } from './pipeline.ts';

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

test.each([
  ['all together reach the cap', view(), { session: 60n, wallet: 60n }, 40n, true],
  ['all together pass the cap by one', view(), { session: 60n, wallet: 60n }, 41n, false],
  ['the window counts', view({ spentThisHour: 1n }), { session: 60n, wallet: 60n }, 40n, false],
  ['all together take the balance', view({ liquid: 70n }), { session: 0n, wallet: 60n }, 10n, true],
  ['other sessions take it', view({ liquid: 70n }), { session: 0n, wallet: 60n }, 11n, false],
])('pipelining when %s', (_case, chainView, load, amount, expected) => {
  expect(fitsBeside(chainView, load, { amount, nowMs: NOW_MS })).toBe(expected);
});
