import { verifyAudit } from '@agent-wallet/audit';
import type { ProgramEvent, SignatureStatus } from '@agent-wallet/chain';
import { isAppError } from '@agent-wallet/errors';
import type { Spend } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Confirming, createConfirming } from '../support/chain/confirming.ts';
import {
  chainTransaction,
  createScriptedChain,
  type ScriptedChain,
  sessionThatAccepted,
} from '../support/chain/scripted-chain.ts';
import {
  FACILITATED,
  FACILITATED_STATES,
  newSignature,
  openSpendRows,
  type RowSession,
  type SpendRows,
} from '../support/database/spend-rows.ts';

let rows: SpendRows;
let chain: ScriptedChain;
let worker: Confirming;
beforeEach(async () => {
  rows = await openSpendRows();
  chain = createScriptedChain();
  worker = createConfirming(rows, chain);
});
afterEach(() => rows[Symbol.asyncDispose]());

/** Of the made-up attempts: their last valid block height is 1150. */
const PAST_EXPIRY = { blockHeight: 1_151n, slot: 2_300n };
const ALLOW = { correction: 0, decision: 'allow', reason: null };
const FORKED_OUT = { correction: 1, decision: 'deny', reason: 'FORKED_OUT' };

const status = (
  err: unknown,
  confirmationStatus: SignatureStatus['confirmationStatus'],
): SignatureStatus => ({ slot: 2_000n, err, confirmationStatus });

async function landed(
  kind: 'landed_ok' | 'landed_error' = 'landed_ok',
  session?: RowSession,
): Promise<Spend> {
  const spend = await rows.ask(session ?? (await rows.createSession()));
  await rows.claim(spend);
  await rows.settle(spend, { kind });
  return settledAgo(spend.spendId, 20);
}

async function settledAgo(spendId: string, seconds: number): Promise<Spend> {
  await rows.db.query(sql.unsafe`
    update spend set settled_at = now() - ${seconds} * interval '1 second',
      final_look_at = '-infinity'
    where spend_id = ${spendId}::uuid
  `);
  await rows.db.query(sql.unsafe`
    update attempt set stored_at = now() - ${seconds} * interval '1 second'
    where spend_id = ${spendId}::uuid
  `);
  return rows.read(spendId);
}

const signatureOf = ({ txSignature }: Spend): string => txSignature ?? 'none';

/** Every attempt is due for a look now. */
async function watchNow(): Promise<number> {
  await rows.db.query(sql.unsafe`update attempt set look_at = now(), watch_until = '-infinity'`);
  return worker.watch();
}

async function watchedAttempts(): Promise<number> {
  return rows.db.oneFirst(sql.type(z.object({ watched: z.number() }))`
    select count(*)::int as watched from attempt where state = 'watching'
  `);
}

async function goneFromTheChain(): Promise<Spend> {
  const spend = await landed();
  await worker.finalize();
  return spend;
}

async function expectWholeLog({ walletId }: Spend): Promise<void> {
  expect(await verifyAudit(rows.db, walletId)).toMatchObject({ kind: 'intact' });
}

describe('a confirmed landing whose signature is gone', () => {
  test('is taken back only after the proof, and nothing is signed again', async () => {
    const spend = await landed();
    const confirmed = { status: 'confirmed', txSignature: spend.txSignature };
    await worker.finalize();
    expect(await watchedAttempts()).toBe(1);
    expect(await watchNow()).toBe(1);
    expect(await rows.read(spend.spendId)).toMatchObject(confirmed);

    chain.finalized = PAST_EXPIRY;
    chain.isDown = true;
    await expect(watchNow()).rejects.toSatisfy((error) => isAppError(error, 'RPC_UNAVAILABLE'));
    await expect(worker.finalize()).rejects.toSatisfy((error) =>
      isAppError(error, 'RPC_UNAVAILABLE'),
    );
    expect(await rows.read(spend.spendId)).toMatchObject(confirmed);
    expect(await rows.auditOf(spend.spendId)).toEqual([ALLOW]);

    chain.isDown = false;
    await watchNow();
    expect(await rows.read(spend.spendId)).toMatchObject({
      status: 'rejected',
      code: 'FORKED_OUT',
      txSignature: null,
      landedSlot: null,
      attempt: 1,
    });
    expect(await rows.auditOf(spend.spendId)).toEqual([ALLOW, FORKED_OUT]);
    expect(await worker.alerts()).toEqual({ forked_out: 1 });
    expect(worker.nudged).toEqual([spend.sessionId]);
    await expectWholeLog(spend);

    await worker.finalize();
    expect(await watchNow()).toBe(0);
    expect(await rows.auditOf(spend.spendId)).toHaveLength(2);
  });

  describe('while its bytes can still land', () => {
    test('has the same bytes sent again, and is confirmed as before once they land', async () => {
      const spend = await goneFromTheChain();
      await watchNow();
      const { wire, broadcasts } = await rows.db.one(
        sql.type(
          z.object({ wire: z.instanceof(Buffer), broadcasts: z.number() }),
        )`select wire, broadcasts from attempt join spend using (spend_id)`,
      );
      expect(worker.resent).toEqual([wire]);
      expect(broadcasts).toBe(1);
      chain.statuses.set(signatureOf(spend), { ...status(null, 'confirmed'), slot: 2_050n });
      await watchNow();
      expect(worker.resent).toHaveLength(1);
      expect(await rows.read(spend.spendId)).toMatchObject({
        status: 'confirmed',
        txSignature: spend.txSignature,
        landedSlot: 2_050n,
        attempt: 1,
      });
      expect(await rows.auditOf(spend.spendId)).toEqual([ALLOW]);
      expect(await worker.alerts()).toEqual({});
    });

    test.each<[string, (spend: Spend) => void]>([
      [
        'the finalized session has its bit',
        ({ spendSeq }) => (chain.session = sessionThatAccepted(spendSeq ?? 0n)),
      ],
      ['the session is gone', () => (chain.session = null)],
      [
        'the session is another one',
        () => (chain.session = { ...sessionThatAccepted(), index: 9n }),
      ],
      [
        'its life is over',
        () => {
          chain.finalized = PAST_EXPIRY;
        },
      ],
    ])('is not sent again when %s', async (_case, change) => {
      const spend = await goneFromTheChain();
      change(spend);
      await watchNow();
      expect(worker.resent).toEqual([]);
    });

    test('is not sent again when it had failed', async () => {
      await landed('landed_error');
      await worker.finalize();
      expect(await watchedAttempts()).toBe(1);
      await watchNow();
      expect(worker.resent).toEqual([]);
    });

    test('is never sent by us when a facilitator sent it', async () => {
      const spend = await rows.ask(await rows.createSession(), FACILITATED);
      await FACILITATED_STATES['facilitated, confirmed'](rows, spend);
      await settledAgo(spend.spendId, 20);
      await worker.finalize();
      expect(await watchedAttempts()).toBe(1);
      await watchNow();
      expect(worker.resent).toEqual([]);
      chain.finalized = PAST_EXPIRY;
      await watchNow();
      expect(await rows.read(spend.spendId)).toMatchObject({
        status: 'rejected',
        code: 'FORKED_OUT',
      });
      expect(await rows.auditOf(spend.spendId)).toEqual([ALLOW, FORKED_OUT]);
    });
  });

  test('that a facilitator sent is corrected to the signature under which it stands now', async () => {
    const spend = await rows.ask(await rows.createSession(), FACILITATED);
    await FACILITATED_STATES['facilitated, confirmed'](rows, spend);
    await settledAgo(spend.spendId, 20);
    await worker.finalize();
    chain.finalized = PAST_EXPIRY;
    chain.session = sessionThatAccepted(1n);
    const signature = newSignature();
    chain.transactions.set(signature, chainTransaction({ slot: 2_040n }));
    chain.events.set(signature, [await transferOf(spend)]);
    await watchNow();
    expect(await rows.read(spend.spendId)).toMatchObject({
      status: 'confirmed',
      txSignature: signature,
    });
    expect((await rows.auditOf(spend.spendId)).map(({ decision }) => decision)).toEqual([
      'allow',
      'deny',
      'allow',
    ]);
    await expectWholeLog(spend);
  });

  test('is not looked for again in its first seconds', async () => {
    const spend = await landed();
    await settledAgo(spend.spendId, 5);
    await worker.finalize();
    expect(await watchedAttempts()).toBe(0);
  });

  test('is finalized when the chain shows it again', async () => {
    const spend = await landed();
    await worker.finalize();
    chain.statuses.set(signatureOf(spend), status(null, 'confirmed'));
    await watchNow();
    expect(await watchedAttempts()).toBe(0);
    chain.statuses.set(signatureOf(spend), status(null, 'finalized'));
    await worker.finalize();
    expect(await rows.read(spend.spendId)).toMatchObject({
      status: 'finalized',
      txSignature: spend.txSignature,
    });
    expect(await rows.auditOf(spend.spendId)).toEqual([ALLOW]);
  });

  test('and that stands in a later slot now makes older balances too old', async () => {
    const spend = await landed();
    await worker.finalize();
    chain.statuses.set(signatureOf(spend), { ...status(null, 'confirmed'), slot: 2_050n });
    await watchNow();
    expect(await rows.read(spend.spendId)).toMatchObject({ landedSlot: 2_050n });
    const slot = await rows.db.oneFirst(sql.type(z.object({ slot: z.bigint() }))`
      select last_settled_slot as slot from wallet where wallet_id = ${spend.walletId}::uuid
    `);
    expect(slot).toBe(2_050n);
  });

  test('stays confirmed while only an empty history speaks against it', async () => {
    const spend = await landed();
    await worker.finalize();
    chain.finalized = PAST_EXPIRY;
    chain.session = null;
    await watchNow();
    worker.clock.nowMs += 61_000;
    await watchNow();
    expect(await watchedAttempts()).toBe(0);
    expect(await rows.read(spend.spendId)).toMatchObject({ status: 'confirmed' });
    await settledAgo(spend.spendId, 20);
    await worker.finalize();
    expect(await watchedAttempts()).toBe(1);
    expect(await worker.alerts()).toEqual({});
  });

  test('stays confirmed while its bit is set and no landing shows', async () => {
    const spend = await landed();
    await worker.finalize();
    chain.finalized = PAST_EXPIRY;
    chain.session = sessionThatAccepted(spend.spendSeq ?? 0n);
    await watchNow();
    expect(await rows.read(spend.spendId)).toMatchObject({ status: 'confirmed' });
    expect(await watchedAttempts()).toBe(1);
  });

  test('is corrected to the landing of its other attempt', async () => {
    const spend = await rows.ask(await rows.createSession());
    await rows.claim(spend);
    const { txSignature: first } = await rows.read(spend.spendId);
    await rows.settle(spend, { kind: 'expired' });
    const { signature } = await rows.claim(await rows.read(spend.spendId));
    const second = { signature: signature ?? '' };
    await rows.db.query(sql.unsafe`update attempt set state = 'expired' where attempt = 2`);
    await rows.db.query(sql.unsafe`
      update spend set status = 'confirmed', tx_signature = ${first}, landed_slot = 2000,
        landed_error = false, settled_at = now()
      where spend_id = ${spend.spendId}::uuid
    `);
    await settledAgo(spend.spendId, 20);
    await worker.finalize();
    expect(await watchedAttempts()).toBe(2);
    chain.finalized = PAST_EXPIRY;
    chain.session = sessionThatAccepted(1n);
    chain.transactions.set(second.signature, chainTransaction({ slot: 2_040n }));
    chain.events.set(second.signature, [await transferOf(spend)]);
    await watchNow();
    expect(await rows.read(spend.spendId)).toMatchObject({
      status: 'confirmed',
      txSignature: second.signature,
      landedSlot: 2_040n,
    });
    expect((await rows.auditOf(spend.spendId)).map(({ reason }) => reason)).toEqual([
      'FORKED_OUT',
      'LANDED_AFTER_REJECT',
    ]);
  });
});

async function transferOf({ spendId, sessionId }: Spend): Promise<ProgramEvent> {
  const session = await rows.db.oneFirst(sql.type(z.object({ pda: z.string() }))`
    select session_pda as pda from session where session_id = ${sessionId}::uuid
  `);
  const id = spendId.replaceAll('-', '');
  const data = { session, session_index: 0n, spend_seq: 1n, spend_id: id };
  return { name: 'UsdcTransferred', data, instructionIndex: 0, innerIndex: 0 };
}

test('an older attempt’s expiry says nothing about the landing of a newer one', async () => {
  const spend = await rows.ask(await rows.createSession());
  await rows.claim(spend);
  await rows.settle(spend, { kind: 'expired' });
  await rows.claim(await rows.read(spend.spendId));
  await rows.db.query(sql.unsafe`
    update attempt set last_valid_block_height = 1400 where attempt = 2
  `);
  await rows.settle(spend, { kind: 'landed_ok' });
  await settledAgo(spend.spendId, 20);
  await rows.settle(spend, { kind: 'expired', isFinal: true }, 1);
  expect(await rows.read(spend.spendId)).toMatchObject({ status: 'confirmed' });
  await rows.settle(spend, { kind: 'expired', isFinal: true }, 2);
  expect(await rows.read(spend.spendId)).toMatchObject({ status: 'rejected', code: 'FORKED_OUT' });
});

describe('a final outcome that is not the confirmed one', () => {
  test('failed first and succeeded at last: the refusal is corrected', async () => {
    const spend = await landed('landed_error');
    chain.statuses.set(signatureOf(spend), status(null, 'finalized'));
    await worker.finalize();
    expect(await rows.read(spend.spendId)).toMatchObject({ status: 'confirmed', code: null });
    expect(await rows.auditOf(spend.spendId)).toEqual([
      { correction: 0, decision: 'deny', reason: 'DailyCapExceeded' },
      { correction: 1, decision: 'allow', reason: 'LANDED_AFTER_REVERT' },
    ]);
    await worker.finalize();
    expect(await rows.read(spend.spendId)).toMatchObject({ status: 'finalized' });
    expect(await worker.alerts()).toEqual({ final_outcome_differs: 1, landed_after_refusal: 1 });
    await expectWholeLog(spend);
  });

  test('succeeded first and failed at last: the confirmation is taken back', async () => {
    const spend = await landed();
    const signature = signatureOf(spend);
    chain.statuses.set(signature, status({ InstructionError: [0, 'Custom'] }, 'confirmed'));
    await worker.finalize();
    expect(await rows.read(spend.spendId)).toMatchObject({ status: 'confirmed' });
    chain.statuses.set(signature, status({ InstructionError: [0, 'Custom'] }, 'finalized'));
    await worker.finalize();
    expect(await rows.read(spend.spendId)).toMatchObject({ status: 'confirmed' });
    chain.transactions.set(signature, chainTransaction({ err: 'InsufficientFundsForFee' }));
    await worker.finalize();
    expect(await rows.read(spend.spendId)).toMatchObject({
      status: 'rejected',
      code: 'FORKED_OUT',
    });
    expect(await rows.auditOf(spend.spendId)).toEqual([ALLOW, FORKED_OUT]);
  });

  test('failed first and gone at last: refused as it was, for good', async () => {
    const spend = await landed('landed_error');
    await worker.finalize();
    chain.finalized = PAST_EXPIRY;
    await watchNow();
    expect(await rows.read(spend.spendId)).toMatchObject({
      status: 'rejected',
      code: 'DailyCapExceeded',
    });
    expect((await rows.read(spend.spendId)).finalizedAt).not.toBeNull();
    expect(await rows.auditOf(spend.spendId)).toHaveLength(1);
  });

  test('failed first, gone, and then landed: the refusal is corrected', async () => {
    const spend = await landed('landed_error');
    await worker.finalize();
    chain.statuses.set(signatureOf(spend), status(null, 'confirmed'));
    await watchNow();
    expect(await rows.read(spend.spendId)).toMatchObject({ status: 'confirmed' });
    expect((await rows.auditOf(spend.spendId)).at(-1)?.reason).toBe('LANDED_AFTER_REVERT');
  });
});

test('landings that never become final hold up none behind them', async () => {
  const session = await rows.createSession();
  const stuck: Spend[] = [];
  for (let index = 0; index < 260; index += 1) {
    const spend = await landed('landed_ok', session);
    stuck.push(await settledAgo(spend.spendId, 3_600));
    chain.statuses.set(signatureOf(spend), status(null, 'confirmed'));
  }
  const last = await landed('landed_ok', session);
  chain.statuses.set(signatureOf(last), status(null, 'finalized'));
  await worker.finalize();
  await worker.finalize();
  expect(await rows.read(last.spendId)).toMatchObject({ status: 'finalized' });
  const [first] = stuck;
  expect(first && (await rows.read(first.spendId))).toMatchObject({ status: 'confirmed' });
});
