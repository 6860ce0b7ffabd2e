import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { refuseCommits } from './disturb/commits.ts';
import { CUT_OFF, cutOff } from './disturb/cut-off.ts';
import { breakDatabase } from './disturb/database.ts';
import { emptyFeePayer } from './disturb/fee-payer.ts';
import { changeBetweenAttempts } from './disturb/owner.ts';
import { killAtRandom, stopAtRandom } from './disturb/processes.ts';
import { loseNudges } from './disturb/lost-nudges.ts';
import { breakQueue } from './disturb/queue.ts';
import { restoreEarlier } from './disturb/restore.ts';
import { createNotesDir, wakeLater } from './disturb/wake.ts';
import { preloadUrl, type Row } from './row.ts';

const TWO_WORKERS = { tx: 2, confirm: 2 } as const;
const TWO_OF_ALL = { ...TWO_WORKERS, api: 2 } as const;
/** Past the lane's lease of 10 s. */
const PAST_LEASE_MS = 11_500;
/** Long enough for another worker's sweep to take the lane after its lease. */
const TAKEN_OVER_MS = 17_000;
const CLOCK_SHIFT_MS = '60000';

/** Creates all rows of the table, anew for each run. */
export function createRows(): readonly Row[] {
  return [...lies, ...stops(), ...outages(), ...silences];
}

/** Packets of one process vanish, one process of each role after the other. */
const silences: readonly Row[] = (
  [
    ['no packets from Postgres', cutOff('Postgres', 'tx-worker-2')],
    ['no packets from the chain', cutOff('chain', 'tx-worker-2')],
    ['no packets from the queue', cutOff('queue', 'confirm-worker-2')],
  ] as const
).map(([name, disturb]) => ({
  name,
  copies: TWO_OF_ALL,
  linked: CUT_OFF,
  disturb,
  kinds: CUT_OFF.map((copy) => `silence of ${copy}`),
  isAboutTheQueue: name.endsWith('queue'),
}));

const lies: readonly Row[] = [
  {
    name: 'requests and answers lost',
    profile: 'drops',
  },
  { name: 'slow, repeated, out of order', profile: 'slow' },
  { name: '429, 503, garbage, wrong errors', profile: 'errors' },
  // A spend that cannot be sent for a while must not expire at once.
  { name: 'the limits of a public node', profile: 'public node', slotTimeMs: 150 },
  { name: 'signatures forgotten', profile: 'forgets' },
  { name: 'answers from an old slot', profile: 'lags' },
  { name: 'two endpoints, one lags', profile: 'honest', secondProfile: 'always behind' },
  { name: 'landings shown too early or as failed', profile: 'forks', forks: true },
  { name: 'landings that fork out', profile: 'forks out', forks: true },
  {
    name: 'refusals that come too late',
    profile: 'late refusals',
    // The bytes of a slow first send are sent again after some three seconds and must still be
    // valid then.
    slotTimeMs: 150,
    preloads: (_name, role) => (role === 'tx-worker' ? [preloadUrl('patient')] : []),
  },
  { name: 'all these lies at once', profile: 'everything', forks: true },
];

function stops(): readonly Row[] {
  const beforeSend = createNotesDir();
  const inLane = createNotesDir();
  const beforeRead = createNotesDir();
  return [
    { name: 'kill -9 at random', disturb: killAtRandom, leastFaults: 40, weight: 1.5 },
    {
      name: 'kill -9, two of each, answers lost',
      profile: 'drops',
      copies: TWO_OF_ALL,
      disturb: killAtRandom,
      leastFaults: 70,
      weight: 1.5,
    },
    { name: 'stopped past the lease', copies: TWO_WORKERS, disturb: stopAtRandom },
    {
      name: 'stopped between commit and send',
      copies: TWO_WORKERS,
      disturb: wakeLater(beforeSend, PAST_LEASE_MS),
      preloads: (_name, role) => (role === 'tx-worker' ? [preloadUrl('stop-before-send')] : []),
      env: () => ({ CHAOS_NOTES_DIR: beforeSend() }),
    },
    {
      name: 'stopped while another takes the lane',
      copies: TWO_WORKERS,
      disturb: wakeLater(inLane, TAKEN_OVER_MS),
      preloads: (_name, role) => (role === 'tx-worker' ? [preloadUrl('stop-in-lane')] : []),
      env: (name) => ({
        CHAOS_NOTES_DIR: inLane(),
        CHAOS_PART: name === 'tx-worker' ? 'first' : 'second',
      }),
      leastFaults: 4,
    },
    {
      name: 'stopped between lane and chain',
      copies: TWO_WORKERS,
      disturb: wakeLater(beforeRead, TAKEN_OVER_MS),
      preloads: (_name, role) =>
        role === 'tx-worker' ? [preloadUrl('stop-before-chain-read')] : [],
      env: (name) => ({
        CHAOS_NOTES_DIR: beforeRead(),
        CHAOS_PART: name === 'tx-worker' ? 'first' : 'second',
      }),
      leastFaults: 2,
    },
  ];
}

function outages(): readonly Row[] {
  const payer = Keypair.generate();
  const lostNudges = createNotesDir();
  return [
    { name: 'database cut, away, crashed', disturb: breakDatabase },
    {
      name: 'database back at an earlier moment',
      disturb: restoreEarlier,
      restores: true,
      // Transactions signed before the restore must still be valid after it.
      slotTimeMs: 120,
      leastFaults: 2,
      kinds: ['reported restore', 'new timeline'],
    },
    {
      name: 'commits refused, deadlocks',
      disturb: refuseCommits,
      leastFaults: 20,
      kinds: ['refused commit', 'deadlock'],
    },
    { name: 'queue emptied, stopped, started', disturb: breakQueue, isAboutTheQueue: true },
    {
      name: 'nudges lost while their lane ends',
      disturb: loseNudges(lostNudges),
      preloads: () => [preloadUrl('lose-nudges')],
      env: () => ({ CHAOS_NOTES_DIR: lostNudges() }),
      leastFaults: 10,
      isAboutTheQueue: true,
    },
    {
      name: 'two of each, the api too',
      profile: 'errors',
      copies: TWO_OF_ALL,
      isAboutTheQueue: true,
    },
    {
      name: 'two of each, clocks a minute off',
      copies: TWO_OF_ALL,
      preloads: () => [preloadUrl('shift-clock')],
      env: (name) => ({
        CHAOS_CLOCK_SHIFT_MS: name.endsWith('-2') ? CLOCK_SHIFT_MS : `-${CLOCK_SHIFT_MS}`,
      }),
      leastFaults: 0,
    },
    {
      name: 'paused, revoked, expired in between',
      profile: 'honest',
      disturb: changeBetweenAttempts,
      // The history of a revoked session is read twice, a minute apart.
      restSeconds: 60,
    },
    {
      name: 'fee payer empty, then filled',
      feePayerKeys: [bs58.encode(payer.secretKey)],
      disturb: emptyFeePayer(payer),
    },
  ];
}
