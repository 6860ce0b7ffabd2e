import {
  acceptSpend,
  cancelQueued,
  recordSignature,
  raiseBroadcasts,
  refuseUnbroadcast,
  rejectQueued,
  releaseAttempt,
  settleAttempts,
  type Spend,
} from '@agent-wallet/spend';
import { sql } from 'slonik';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { claimSpend, holdLane } from '../support/database/lane-rows.ts';
import {
  requestedTransfer,
  failOnFailure,
  newSignature,
  settlementOf,
  signedFor,
  type Told,
} from '../support/database/made-up-spends.ts';
import { expectSpend, type RowSession, useSpendRows } from '../support/database/spend-rows.ts';
import {
  type FacilitatedState,
  finalize,
  LEAD_TO,
  type SpendState,
} from '../support/database/spend-states.ts';

const rows = await useSpendRows();

const KEY = { idempotencyKey: 'key', requestDigest: Buffer.from('digest') };
const REFUSAL = { code: 'REFUSED', detail: 'for the test' };

type Verb = (session: RowSession, spend: Spend) => Promise<unknown>;

const settle =
  (told: Told): Verb =>
  async (_session, spend) => {
    const settlements = [settlementOf(spend, told, Math.max(1, spend.attempt))];
    await settleAttempts(rows.db, settlements, { onFailure: failOnFailure });
  };

/** Each verb, called on the row as it is at this moment. */
const VERBS = {
  accept: (session, spend) =>
    acceptSpend(rows.db, requestedTransfer(session, { spendId: spend.spendId, ...KEY })),
  cancelQueued: (_session, spend) => cancelQueued(rows.db, spend),
  claimSpend: async (session, spend) => {
    const fence = await holdLane(rows.db, session.sessionId);
    const signed = signedFor(spend, spend.spendSeq ?? (await readFacts(spend)).nextSeq);
    return claimSpend(rows.db, { spend, fence, signed });
  },
  rejectQueued: async (session, spend) => {
    const fence = await holdLane(rows.db, session.sessionId);
    return rejectQueued(rows.db, { spend, fence, ...REFUSAL });
  },
  refuseUnbroadcast: (_session, spend) =>
    refuseUnbroadcast(rows.db, { spend, attempt: spend.attempt, ...REFUSAL }),
  raiseBroadcasts: (_session, spend) => raiseBroadcasts(rows.db, spend),
  releaseAttempt: (_session, { spendId }) => releaseAttempt(rows.db, spendId),
  recordSignature: (_session, { spendId }) => recordSignature(rows.db, spendId, newSignature()),
  'settle landed_ok': settle({ kind: 'landed_ok' }),
  'settle landed_error': settle({ kind: 'landed_error' }),
  'settle expired': settle({ kind: 'expired' }),
  'settle never_lands': settle({ kind: 'never_lands' }),
  'settle landed_error for good': settle({ kind: 'landed_error', isFinal: true }),
  'settle expired for good': settle({ kind: 'expired', isFinal: true }),
  'settle never_lands for good': settle({ kind: 'never_lands', isFinal: true }),
  finalizeSpends: (_session, spend) => finalize(rows, spend.spendId),
} as const satisfies Record<string, Verb>;
type VerbName = keyof typeof VERBS;

/** What a legal transition leads to, and the audit row that it writes. */
type Transition = {
  readonly to: Partial<Spend>;
  readonly audit: { correction: number; decision: string; reason: string | null } | null;
};

type Transitions = Partial<Record<VerbName, Transition>>;

const to = (status: Spend['status'], facts: Partial<Spend> = {}): Transition => ({
  to: { status, ...facts },
  audit: null,
});
const deny = (status: Spend['status'], reason: string): Transition => ({
  to: { status, code: reason },
  audit: { correction: 0, decision: 'deny', reason },
});
const ALLOW: Transition = {
  to: { status: 'confirmed', code: null },
  audit: { correction: 0, decision: 'allow', reason: null },
};
const correct = (reason: string, correction = 1): Transition => ({
  to: { status: 'confirmed', code: null },
  audit: { correction, decision: 'allow', reason },
});

const IN_FLIGHT: Transitions = {
  'settle landed_ok': ALLOW,
  'settle landed_error': deny('reverted', 'DailyCapExceeded'),
  'settle expired': to('queued', { txSignature: null, settledAt: null }),
  'settle never_lands': deny('rejected', 'NEVER_LANDED'),
  'settle landed_error for good': deny('reverted', 'DailyCapExceeded'),
  'settle expired for good': to('queued', { txSignature: null, settledAt: null }),
  'settle never_lands for good': deny('rejected', 'NEVER_LANDED'),
};

/** Sent by a facilitator: signed once, so that an expiry is the end of it. */
const HANDED_OUT: Transitions = {
  'settle landed_ok': ALLOW,
  'settle landed_error': deny('reverted', 'DailyCapExceeded'),
  'settle landed_error for good': deny('reverted', 'DailyCapExceeded'),
  recordSignature: to('in_flight', { txSignature: null }),
};
const neverLands = (reason: string): Transitions => ({
  'settle expired': deny('rejected', reason),
  'settle never_lands': deny('rejected', reason),
  'settle expired for good': deny('rejected', reason),
  'settle never_lands for good': deny('rejected', reason),
});

const FORKED_OUT: Transition = {
  to: { status: 'rejected', code: 'FORKED_OUT', txSignature: null },
  audit: { correction: 1, decision: 'deny', reason: 'FORKED_OUT' },
};
const REVERT_GONE: Transition = to('rejected', { code: 'DailyCapExceeded' });

const NOT_BROADCAST: Transitions = {
  ...IN_FLIGHT,
  refuseUnbroadcast: deny('rejected', 'REFUSED'),
  raiseBroadcasts: to('in_flight', { broadcasts: 1 }),
};
const CONFIRMED: Transitions = {
  finalizeSpends: to('finalized'),
  'settle landed_error for good': FORKED_OUT,
  'settle expired for good': FORKED_OUT,
  'settle never_lands for good': FORKED_OUT,
};
const REVERTED: Transitions = {
  finalizeSpends: REVERT_GONE,
  'settle expired for good': REVERT_GONE,
  'settle never_lands for good': REVERT_GONE,
  'settle landed_ok': correct('LANDED_AFTER_REVERT'),
};
const FORKED_OUT_ROW: Transitions = {
  'settle landed_ok': correct('LANDED_AFTER_REJECT', 2),
};

type State = SpendState | FacilitatedState;

/** Every legal transition. What is not here changes nothing. */
const TRANSITIONS: Readonly<Record<State, Transitions>> = {
  queued: {
    cancelQueued: deny('rejected', 'EXPIRED_UNSENT'),
    claimSpend: to('in_flight', { attempt: 1, broadcasts: 0, spendSeq: 1n }),
    rejectQueued: deny('rejected', 'REFUSED'),
    'settle landed_ok': ALLOW,
  },
  'queued again': {
    claimSpend: to('in_flight', { attempt: 2, broadcasts: 0, spendSeq: 1n }),
    rejectQueued: deny('rejected', 'REFUSED'),
    'settle landed_ok': ALLOW,
  },
  'in flight': NOT_BROADCAST,
  'in flight, sent again': {
    ...IN_FLIGHT,
    raiseBroadcasts: to('in_flight', { broadcasts: 2 }),
  },
  'in flight, second attempt': NOT_BROADCAST,
  confirmed: CONFIRMED,
  finalized: {},
  reverted: REVERTED,
  'reverted for good': { 'settle landed_ok': correct('LANDED_AFTER_REVERT') },
  'refused unsent': {
    // Its key is free again: the request becomes a spend of its own and this row stays as it is.
    'settle landed_ok': correct('LANDED_AFTER_REJECT'),
  },
  'refused in preflight': { 'settle landed_ok': correct('LANDED_AFTER_REJECT') },
  'never landed': { 'settle landed_ok': correct('LANDED_AFTER_REJECT') },
  'forked out': FORKED_OUT_ROW,
  'facilitated, queued': {
    cancelQueued: deny('rejected', 'EXPIRED_UNSENT'),
    claimSpend: to('in_flight', { attempt: 1, spendSeq: 1n, txSignature: null, releasedAt: null }),
    rejectQueued: deny('rejected', 'REFUSED'),
    'settle landed_ok': ALLOW,
  },
  'facilitated, stored': {
    ...HANDED_OUT,
    ...neverLands('NEVER_LANDED'),
    releaseAttempt: to('in_flight', { releasedAt: expect.any(Date) }),
  },
  'facilitated, released': { ...HANDED_OUT, ...neverLands('NOT_SETTLED') },
  'facilitated, confirmed': CONFIRMED,
  'facilitated, finalized': {},
  'facilitated, reverted': REVERTED,
  'facilitated, not settled': { 'settle landed_ok': correct('LANDED_AFTER_REJECT') },
  'facilitated, forked out': FORKED_OUT_ROW,
};

const facts = z.object({
  nextSeq: z.bigint(),
  lastSettledSlot: z.bigint(),
  spend: z.string(),
  audit: z.string(),
});

/** Everything about one spend that a verb could have touched. */
async function readFacts(spend: Spend): Promise<z.output<typeof facts>> {
  return rows.db.one(sql.type(facts)`
    select session.next_seq as "nextSeq", wallet.last_settled_slot as "lastSettledSlot",
      (select to_json(spend)::text from spend where spend_id = ${spend.spendId}::uuid) as spend,
      (select coalesce(json_agg(audit order by seq), '[]')::text from audit
        where audit.wallet_id = wallet.wallet_id) as audit
    from session join wallet on wallet.wallet_id = session.wallet_id
    where session_id = ${spend.sessionId}::uuid
  `);
}

async function spendIn(state: State): Promise<{ session: RowSession; spend: Spend }> {
  const session = await rows.createSession();
  return { session, spend: await rows.spendIn(state, session, KEY) };
}

function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): readonly Key[] {
  // A literal of this file or its fixture: it has no other keys.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.keys(table) as Key[];
}

const STATES = keysOf(LEAD_TO);
const VERB_NAMES = keysOf(VERBS);
const CASES = STATES.flatMap((state) =>
  VERB_NAMES.map((verb) => ({ state, verb, transition: TRANSITIONS[state][verb] })),
);
const LEGAL = CASES.flatMap(({ transition, ...one }) =>
  transition === undefined ? [] : [{ ...one, transition }],
);
const ILLEGAL = CASES.filter(({ transition }) => transition === undefined);

describe('a legal transition moves the row and writes at most one audit row', () => {
  test.each(LEGAL)('$state: $verb', async ({ state, verb, transition }) => {
    const { session, spend } = await spendIn(state);
    const before = await rows.auditOf(spend.spendId);
    await VERBS[verb](session, spend);
    await expectSpend(rows, spend, transition.to);
    const written = (await rows.auditOf(spend.spendId)).slice(before.length);
    expect(written).toEqual(transition.audit === null ? [] : [transition.audit]);
  });
});

describe('any other verb changes nothing', () => {
  test.each(ILLEGAL)('$state: $verb', async ({ state, verb }) => {
    const { session, spend } = await spendIn(state);
    const before = await readFacts(spend);
    await VERBS[verb](session, spend);
    expect(await readFacts(spend)).toEqual(before);
  });
});

describe('without its audit row a transition is not taken', () => {
  const audited = LEGAL.filter(({ transition }) => transition.audit !== null);
  test.each(audited)('$state: $verb', async ({ state, verb }) => {
    const { session, spend } = await spendIn(state);
    await rows.db.query(sql.unsafe`
      alter table audit add constraint audit_is_full check (wallet_id is null) not valid
    `);
    try {
      const before = await readFacts(spend);
      const refusal = { constraint: 'audit_is_full' };
      await expect(VERBS[verb](session, spend)).rejects.toMatchObject(refusal);
      expect(await readFacts(spend)).toEqual(before);
    } finally {
      await rows.db.query(sql.unsafe`alter table audit drop constraint audit_is_full`);
    }
  });
});

describe('the outcome of an older attempt', () => {
  test.each<[Told['kind'], Partial<Spend>, number]>([
    ['landed_ok', { status: 'confirmed', attempt: 2 }, 1],
    ['landed_error', { status: 'in_flight', attempt: 2 }, 0],
    ['expired', { status: 'in_flight', attempt: 2 }, 0],
    ['never_lands', { status: 'in_flight', attempt: 2 }, 0],
  ])('%s while the second is in flight', async (kind, expected, decisions) => {
    const { spend } = await spendIn('in flight, second attempt');
    await rows.settle(spend, { kind }, 1);
    await expectSpend(rows, spend, expected);
    expect(await rows.auditOf(spend.spendId)).toHaveLength(decisions);
  });
});
