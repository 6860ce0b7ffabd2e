import type { StuckSpend } from '@agent-wallet/spend';
import { describe, expect, test } from 'vitest';
import { areFeePayersEmpty, type ServiceFacts, waitsFor } from './waits-for.ts';

const queued: StuckSpend = {
  spendId: 'spend',
  walletId: 'wallet',
  sessionId: 'session',
  kind: 'transfer',
  status: 'queued',
  broadcaster: 'worker',
  ageSeconds: 90,
  attempt: 0,
  broadcasts: 0,
  faults: 0,
  txSignature: null,
  isReleased: false,
  laneHolder: null,
  ahead: 0,
  lastValidBlockHeight: null,
  overdueSeconds: null,
};
const inFlight: StuckSpend = {
  ...queued,
  status: 'in_flight',
  attempt: 2,
  broadcasts: 7,
  txSignature: 'sig',
  lastValidBlockHeight: 1_234n,
  overdueSeconds: -1,
};
const intake = {
  isOpen: true,
  isOtherDatabase: false,
  identity: '1/00000001',
  closedAtHeight: null,
  reason: null,
  drainedAt: null,
};
const open: ServiceFacts = { intake, keystoreFits: true, feePayers: [] };
const closed = { ...intake, isOpen: false, reason: 'a restore' };
const payer = { address: 'a', lamports: 1n, floorLamports: 2n, secondsAgo: 3, inFlight: 0 };

describe('a spend waits for', () => {
  test.each<[string, Partial<StuckSpend>, Partial<ServiceFacts>, string]>([
    ['tx_worker', {}, {}, 'no tx-worker has taken the free lane'],
    ['tx_worker', { attempt: 1 }, {}, 'attempt 1 has expired; no tx-worker'],
    ['tx_worker', {}, { intake: null }, 'no tx-worker'],
    ['faults', { faults: 2 }, {}, 'signing failed 2 times'],
    ['earlier_spends', { ahead: 3, faults: 2 }, {}, '3 earlier open spends'],
    ['lane', { laneHolder: 'host-1', ahead: 3 }, {}, 'tx-worker host-1 holds the lane'],
    ['fee_payers', { laneHolder: 'host-1' }, { feePayers: [payer] }, 'below its floor'],
    ['keystore', {}, { feePayers: [payer], keystoreFits: false }, 'opens no session key'],
    ['intake', {}, { intake: closed, keystoreFits: false }, 'intake is closed: a restore'],
    ['verdict', inFlight, {}, 'attempt 2 (sig) can land until finalized block 1234; sent again 7'],
    // What is signed already needs no fee payer, no key and no intake.
    ['verdict', inFlight, { intake: closed, feePayers: [payer] }, 'attempt 2'],
    ['confirm_worker', { ...inFlight, overdueSeconds: 40.7 }, {}, 'due 40 s ago'],
    ['facilitator', { ...inFlight, broadcaster: 'facilitator' }, {}, 'were not released'],
    [
      'facilitator',
      { ...inFlight, broadcaster: 'facilitator', isReleased: true },
      {},
      'a facilitator has the bytes, which can land until finalized block 1234',
    ],
    ['finality', { ...inFlight, status: 'confirmed' }, {}, 'confirmed, and not final yet'],
    ['finality', { ...inFlight, status: 'reverted' }, {}, 'reverted, and not final yet'],
  ])('%s', (cause, spend, facts, words) => {
    const wait = waitsFor({ ...queued, ...spend }, { ...open, ...facts });
    expect(wait.cause).toBe(cause);
    expect(wait.sentence).toContain(words);
  });
});

test.each([
  ['none', [], false],
  ['one below its floor', [payer], true],
  ['one of two below its floor', [payer, { ...payer, lamports: 2n }], false],
  // The worker that had it no longer runs.
  [
    'a full one of a worker that is gone',
    [payer, { ...payer, lamports: 2n, secondsAgo: 61 }],
    true,
  ],
  ['an empty one of a worker that is gone', [{ ...payer, secondsAgo: 61 }], false],
])('fee payers: %s', (_case, payers, isEmpty) => {
  expect(areFeePayersEmpty(payers)).toBe(isEmpty);
});
