import { sql } from 'slonik';
import { expect, it } from 'vitest';
import { HttpRefusal } from '../../src/http/http-refusal.ts';
import { createDenyRequest } from '../../src/spend/refuse/refused.ts';
import { createRequestSpend } from '../../src/spend/request-spend.ts';
import type { SpendRequest } from '../../src/spend/spend-request.ts';
import { createAcceptSpend } from '../../src/spend/accept/batch-acceptances.ts';
import { createCancelSpend } from '../../src/spend/answer/cancel-spend.ts';
import { openSession, type Session } from '../fixtures/open-session.ts';
import { countSpends } from '../fixtures/spends-of-wallet.ts';
import { type TestApp, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

const brokenConnection = (): Error =>
  Object.assign(new Error('connection terminated'), { code: '08006' });

type Faults = { readonly acceptance: boolean; readonly reads: boolean };

/** The database, but the connection breaks after the acceptance, or in place of later reads. */
function breaking(faults: Faults): TestApp['db'] {
  let isAccepted = false;
  const any: TestApp['db']['any'] = async (query) => {
    if (isAccepted && faults.reads) throw brokenConnection();
    const rows = await t.db.any(query);
    const isAcceptance = query.sql.includes('accept_spends');
    isAccepted ||= isAcceptance;
    if (isAcceptance && faults.acceptance) throw brokenConnection();
    return rows;
  };
  return new Proxy(t.db, {
    get: (target, name, receiver) =>
      name === 'any' ? any : (Reflect.get(target, name, receiver) as unknown),
  });
}

function createRequest(faults: Faults) {
  const { chain, waiter } = t;
  const db = breaking(faults);
  return createRequestSpend({
    db,
    chain,
    waiter,
    nudge: async () => {},
    budgets: { lamportsPerDay: 1_000n, revertsPerDay: 1 },
    pendingLimits: { session: 10, wallet: 10 },
    acceptSpend: createAcceptSpend(db),
    cancelSpend: createCancelSpend(db),
    denyRequest: createDenyRequest({ db, limitRefusals: async () => null }),
    limitRefusals: async () => null,
    onNotAccepted: () => {},
    nowMs: Date.now,
    onFault: () => {},
  });
}

async function requestOf(s: Session): Promise<SpendRequest> {
  const { vaultPda, vaultUsdcAta } = t.chain.addressesOf(s.owner.pubkey);
  const { sessionId, walletId, sessionPda } = s;
  return {
    agent: { sessionId, walletId, sessionPda, vaultPda, vaultUsdcAta },
    kind: 'transfer',
    amount: 5n,
    recipient: s.recipient,
    url: null,
    idempotencyKey: null,
    digest: Buffer.alloc(32),
    waitMs: 0,
    cancelUnclaimed: false,
    onAccepted: () => {},
    onNotAccepted: () => {},
  };
}

it('finds the spend that was committed although the connection broke', async () => {
  const s = await openSession(t);
  const result = await createRequest({ acceptance: true, reads: false })(await requestOf(s));
  expect(result).toMatchObject({ kind: 'known', spend: { status: 'queued', amount: 5n } });
  expect(await countSpends(t, s.sessionId)).toBe(1);
});

it('returns the spend id when it cannot determine whether the spend was committed', async () => {
  const s = await openSession(t);
  const request = createRequest({ acceptance: true, reads: true })(await requestOf(s));
  const refusal = await request.catch((error: unknown) => error);
  if (!(refusal instanceof HttpRefusal)) throw new Error('expected a refusal');
  expect(refusal.status).toBe(503);
  const stored = await t.db.oneFirst(sql.unsafe`
    select spend_id from spend where session_id = ${s.sessionId}::uuid
  `);
  expect(refusal.body.spend_id).toBe(stored);
});

it('returns pending, never a fault, when the database breaks after acceptance', async () => {
  const s = await openSession(t);
  const request = { ...(await requestOf(s)), waitMs: 300, cancelUnclaimed: false };
  const result = await createRequest({ acceptance: false, reads: true })(request);
  expect(result).toMatchObject({ kind: 'known', spend: { status: 'queued' } });
});
