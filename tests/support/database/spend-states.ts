/** How the verbs of the spend package lead a spend to each of its states. */
import {
  cancelQueued,
  finalizeSpends,
  raiseBroadcasts,
  refuseUnbroadcast,
  releaseAttempt,
  type Spend,
} from '@agent-wallet/spend';

import type { SpendRows } from './spend-rows.ts';
import type { Told } from './made-up-spends.ts';

type Step = (rows: SpendRows, spend: Spend) => Promise<unknown>;

/** The step that takes one transition after the other. */
const path =
  (...steps: readonly Step[]): Step =>
  async (rows, spend) => {
    for (const step of steps) await step(rows, spend);
  };
const claimed: Step = (rows, spend) => rows.claim(spend);
const settled =
  (told: Told): Step =>
  (rows, spend) =>
    rows.settle(spend, told);
const landed = settled({ kind: 'landed_ok' });
const failed = settled({ kind: 'landed_error' });
const expired = settled({ kind: 'expired' });
const forkedOut = settled({ kind: 'expired', isFinal: true });
const finalized: Step = (rows, { spendId }) => finalize(rows, spendId);
const sentAgain: Step = (rows, { spendId }) => raiseBroadcasts(rows.db, { spendId, attempt: 1 });
const refused: Step = (rows, spend) => {
  const refusal = { attempt: 1, code: 'MaxPerTxExceeded', detail: 'the program said no' };
  return refuseUnbroadcast(rows.db, { spend, ...refusal });
};
const released: Step = async (rows, spend) => {
  await rows.claim(spend);
  if ((await releaseAttempt(rows.db, spend.spendId)) === null) throw new Error('not released');
};

/** How a spend reaches each of its resting states. */
export const SPEND_STATES = {
  queued: path(),
  'queued again': path(claimed, expired),
  'in flight': path(claimed),
  'in flight, sent again': path(claimed, sentAgain),
  'in flight, second attempt': path(claimed, expired, claimed),
  confirmed: path(claimed, landed),
  finalized: path(claimed, landed, finalized),
  reverted: path(claimed, failed),
  'reverted for good': path(claimed, failed, finalized),
  'refused unsent': (rows, spend) => cancelQueued(rows.db, spend),
  'refused in preflight': path(claimed, refused),
  'forked out': path(claimed, landed, forkedOut),
  'never landed': path(claimed, settled({ kind: 'never_lands' })),
} as const satisfies Record<string, Step>;

export type SpendState = keyof typeof SPEND_STATES;

/** The same for a payment that a facilitator sends, accepted with {@link FACILITATED}. */
export const FACILITATED_STATES = {
  'facilitated, queued': path(),
  'facilitated, stored': path(claimed),
  'facilitated, released': released,
  'facilitated, confirmed': path(released, landed),
  'facilitated, finalized': path(released, landed, finalized),
  'facilitated, reverted': path(released, failed),
  'facilitated, not settled': path(released, expired),
  'facilitated, forked out': path(released, landed, forkedOut),
} as const satisfies Record<string, Step>;

/** How a spend reaches each state. */
export const LEAD_TO = { ...SPEND_STATES, ...FACILITATED_STATES };

export type FacilitatedState = keyof typeof FACILITATED_STATES;

/** Records that the landing of the row is final. */
export async function finalize(rows: SpendRows, spendId: string): Promise<void> {
  const { status, txSignature } = await rows.read(spendId);
  const landing = { spendId, txSignature: txSignature ?? '', landedError: status === 'reverted' };
  await finalizeSpends(rows.db, [landing]);
}
