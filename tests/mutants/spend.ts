import type { Mutant } from './mutant.ts';

/** Defects that lose or repeat payments, or hide one; `npm run chaos` must notice them. */
export const spendMutants: readonly Mutant[] = [
  // An attempt that the node does not know counts as expired after some seconds.
  {
    name: 'resign-without-proof',
    file: 'libs/chain/src/verdict/verdict.ts',
    find: 'if (finalized === null || finalized.blockHeight <= facts.lastValidBlockHeight) {',
    replace: `if (finalized !== null) return { kind: 'expired_proven', slot: finalized.slot };
  if (finalized === null) {`,
    noticedBy: ['row requests and answers lost', 'row signatures forgotten'],
  },
  // A worker that lost its lane still claims spends in it.
  {
    name: 'no-fence',
    file: 'libs/spend/src/lane/claim-spends.ts',
    find: 'and lane.fence = asked.fence and lane.lease_until > now()',
    replace: 'and lane.fence >= asked.fence',
    noticedBy: ['row stopped while another takes the lane'],
  },
  // The lane's own reading is enough to find that the database forgot a number.
  {
    name: 'believe-old-lane',
    file: 'libs/spend/src/lane/close-if-forgotten.ts',
    find: 'and next_seq <= ${highestSeq}',
    replace: '',
    noticedBy: ['row stopped between lane and chain'],
  },
  // A refusal in preflight settles a spend whose bytes were sent again meanwhile.
  {
    name: 'ignore-broadcasts',
    file: 'libs/spend/src/lane/refuse-unbroadcast.ts',
    find: "and status = 'in_flight' and attempt = ${attempt} and broadcasts = 0",
    replace: "and status = 'in_flight' and attempt = ${attempt}",
    noticedBy: ['row refusals that come too late'],
  },
  // The bytes are sent before the attempt is stored.
  {
    name: 'store-after-send',
    file: 'apps/tx-worker/src/lane/submit-spends.ts',
    find: 'const claimed = await deps.storeClaims(',
    replace: `for (const { signed, minContextSlot } of batch.map(({ prepared }) => prepared)) {
      await deps.send(signed.wire, { skipPreflight: false, minContextSlot });
    }
    const claimed = await deps.storeClaims(`,
    noticedBy: ['row requests and answers lost', 'row commits refused, deadlocks'],
  },
  // No worker looks for rows whose nudge was lost.
  {
    name: 'no-sweep',
    file: 'apps/tx-worker/src/lane/sweep-queued.ts',
    find: 'lanes.map(',
    replace: '[].map(',
    noticedBy: ['row nudges lost while their lane ends'],
  },
  // A spend is stored without its Idempotency-Key.
  {
    name: 'forget-keys',
    file: 'migrations/0028_open_offers.sql',
    find: 'made.idempotency_key := wanted.idempotency_key;\n    made.request_digest := wanted.request_digest;',
    replace: '',
    noticedBy: ['row two of each, the api too'],
  },
  // A restored database accepts spends before earlier attempts have landed or expired.
  {
    name: 'open-at-once',
    file: 'apps/confirm-worker/src/follow/guard-recovery.ts',
    find: 'if (blockHeight <= closedAtHeight + BLOCKHASH_BLOCKS) return;',
    replace: '',
    noticedBy: ['row database back at an earlier moment'],
  },
  // A query waits for its response for ever.
  {
    name: 'no-response-timeout',
    file: 'libs/db/src/response-timeout.ts',
    find: '}, timeoutMs);',
    replace: '}, timeoutMs * 1_000);',
    noticedBy: ['row no packets from Postgres'],
  },
  // A call to the chain waits for its response for ever.
  {
    name: 'no-rpc-timeout',
    file: 'libs/chain/src/rpc/node-fetch.ts',
    find: 'AbortSignal.timeout(timeoutMs)',
    replace: 'AbortSignal.timeout(timeoutMs * 1_000)',
    noticedBy: ['row no packets from the chain'],
  },
  // A worker waits for the queue's store for ever.
  {
    name: 'no-queue-timeout',
    file: 'libs/queue/src/timeouts.ts',
    find: 'worker: 15_000 };',
    replace: 'worker: 15_000_000 };',
    noticedBy: ['row no packets from the queue'],
  },
  // The task of a leader that died is never taken over.
  {
    name: 'no-takeover',
    file: 'libs/leadership/src/take-leases.ts',
    find: 'where leadership.holder = excluded.holder or leadership.lease_until < now()',
    replace: "where leadership.holder = excluded.holder or leadership.lease_until = '-infinity'",
    noticedBy: ['row kill -9, two of each, answers lost'],
  },
];
