import { randomUUID } from 'node:crypto';
import {
  appendAudit,
  type AuditEntry,
  type Denial,
  listAudit,
  recordDenials,
  verifyAudit,
} from '@agent-wallet/audit';
import { type QuerySqlToken, sql } from 'slonik';
import { describe, expect, test } from 'vitest';
import { forgeLog } from '../support/database/forge-log.ts';
import { type RowSession, useSpendRows } from '../support/database/spend-rows.ts';

const rows = await useSpendRows();

const entry = (fields: Partial<AuditEntry> = {}): AuditEntry => ({
  sessionId: null,
  spendId: null,
  correction: 0,
  action: 'transfer',
  amount: 5n,
  recipient: 'somebody',
  recipientOrUrl: 'somebody',
  decision: 'deny',
  reason: 'MaxPerTxExceeded',
  detail: null,
  txSignature: null,
  detailSignature: null,
  ...fields,
});

async function append(walletId: string, entries: readonly AuditEntry[]): Promise<void> {
  await rows.db.transaction((tx) => appendAudit(tx, walletId, entries));
}

/** A wallet whose chain has `length` rows. */
async function chainOf(length: number): Promise<string> {
  const walletId = await rows.createWallet();
  const entries = Array.from({ length }, (_, index) => entry({ amount: BigInt(index + 1) }));
  await append(walletId, entries);
  return walletId;
}

type Tampering = QuerySqlToken | readonly QuerySqlToken[];

describe('the chain of a wallet', () => {
  test.each([0, 1, 7])('of %i rows verifies', async (length) => {
    const walletId = await chainOf(length);
    expect(await verifyAudit(rows.db, walletId)).toEqual({ kind: 'intact', rows: BigInt(length) });
  });

  test('verifies over more than one page', async () => {
    const walletId = await chainOf(1_203);
    expect(await verifyAudit(rows.db, walletId)).toEqual({ kind: 'intact', rows: 1_203n });
  });

  test('verifies with every field filled and with signs that JSON escapes', async () => {
    const { walletId, sessionId } = await rows.createSession();
    await append(walletId, [
      entry({ sessionId, spendId: randomUUID(), amount: 2n ** 64n - 1n, detail: 'ü "\\" \n 🙂' }),
      entry({ decision: 'allow', reason: null, txSignature: 'signature', spendId: randomUUID() }),
    ]);
    expect(await verifyAudit(rows.db, walletId)).toEqual({ kind: 'intact', rows: 2n });
  });

  test('stays whole under fifty appends at once', async () => {
    const walletId = await rows.createWallet();
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        append(walletId, [entry({ amount: BigInt(index) })]),
      ),
    );
    expect(await verifyAudit(rows.db, walletId)).toEqual({ kind: 'intact', rows: 50n });
    const seqs = (await listAudit(rows.db, { walletId, limit: 100 })).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 50 }, (_, index) => BigInt(50 - index)));
  });

  test('keeps no place for an append that was rolled back', async () => {
    const walletId = await chainOf(2);
    const failed = rows.db.transaction(async (tx) => {
      await appendAudit(tx, walletId, [entry()]);
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    await append(walletId, [entry()]);
    expect(await verifyAudit(rows.db, walletId)).toEqual({ kind: 'intact', rows: 3n });
  });
});

const denialOf = ({ walletId, sessionId }: RowSession): Denial => ({
  walletId,
  sessionId,
  action: 'transfer',
  amount: 1n,
  recipient: null,
  recipientOrUrl: 'https://example.com',
  reason: 'URL_NOT_ALLOWED',
  detail: null,
});

test('denials take their places in the chain, whatever their texts', async () => {
  const session = await rows.createSession();
  const { walletId } = session;
  const denial = (detail: string | null): Denial => ({
    ...denialOf(session),
    amount: 2n ** 64n - 1n,
    recipientOrUrl: 'https://example.com/ä?"\\',
    detail,
  });
  await append(walletId, [entry()]);
  const texts = ['\u0001\u001f\u007f\u2028 \t"\\/', null, '😀'];
  await recordDenials(rows.db, texts.map(denial));
  await append(walletId, [entry()]);
  expect(await verifyAudit(rows.db, walletId)).toEqual({ kind: 'intact', rows: 5n });
});

describe('the database refuses', () => {
  test.each([
    ['an edit', sql.unsafe`update audit set reason = 'edited'`],
    ['a deletion', sql.unsafe`delete from audit`],
    ['emptying the table', sql.unsafe`truncate audit`],
    ['emptying it with what hangs on it', sql.unsafe`truncate wallet cascade`],
  ])('%s', async (_case, statement) => {
    await chainOf(1);
    await expect(rows.db.query(statement)).rejects.toThrow(
      'audit rows are never edited or deleted',
    );
  });

  test('an edit of no row at all passes, because it edits none', async () => {
    await rows.db.query(sql.unsafe`update audit set reason = 'x' where audit_no < 0`);
    expect(await verifyAudit(rows.db, await chainOf(1))).toMatchObject({ kind: 'intact' });
  });

  test.each<[string, Partial<AuditEntry>]>([
    ['an allow row without a signature', { decision: 'allow', reason: null }],
    ['a deny row without a reason', { reason: null }],
    ['a deny row with the signature of a payment', { txSignature: 'signature' }],
  ])('%s', async (_case, fields) => {
    const walletId = await rows.createWallet();
    await expect(append(walletId, [entry(fields)])).rejects.toThrow('check integrity constraint');
    expect(await verifyAudit(rows.db, walletId)).toEqual({ kind: 'intact', rows: 0n });
  });

  test('a second decision on one spend, and undoes what came with it', async () => {
    const walletId = await rows.createWallet();
    const spendId = randomUUID();
    await append(walletId, [entry({ spendId })]);
    await expect(append(walletId, [entry(), entry({ spendId })])).rejects.toMatchObject({
      constraint: 'audit_one_decision',
    });
    await append(walletId, [entry({ spendId, correction: 1 })]);
    expect(await verifyAudit(rows.db, walletId)).toEqual({ kind: 'intact', rows: 2n });
  });
});

describe('an audit log that was tampered with is found out', () => {
  const cases: readonly [string, (walletId: string) => Tampering, object][] = [
    [
      'an edited amount',
      (id) => sql.unsafe`update audit set amount = 999 where wallet_id = ${id}::uuid and seq = 3`,
      { seq: 3n, why: 'row was changed' },
    ],
    [
      'an edited time',
      (id) =>
        sql.unsafe`update audit set created_at = created_at + interval '1 ms'
         where wallet_id = ${id}::uuid and seq = 2`,
      { seq: 2n, why: 'row was changed' },
    ],
    [
      'a reason moved into the detail',
      (id) =>
        sql.unsafe`update audit set detail = reason where wallet_id = ${id}::uuid and seq = 4`,
      { seq: 4n, why: 'row was changed' },
    ],
    [
      'a row taken out of the middle',
      (id) => sql.unsafe`delete from audit where wallet_id = ${id}::uuid and seq = 3`,
      { seq: 3n, why: 'row missing' },
    ],
    [
      'the last row taken away',
      (id) => sql.unsafe`delete from audit where wallet_id = ${id}::uuid and seq = 5`,
      { seq: 5n, why: 'row missing' },
    ],
    [
      'all rows taken away',
      (id) => sql.unsafe`delete from audit where wallet_id = ${id}::uuid`,
      { seq: 1n, why: 'row missing' },
    ],
    [
      'two rows that swapped places',
      (id) => [
        sql.unsafe`update audit set seq = 99 where wallet_id = ${id}::uuid and seq = 2`,
        sql.unsafe`update audit set seq = 2 where wallet_id = ${id}::uuid and seq = 3`,
        sql.unsafe`update audit set seq = 3 where wallet_id = ${id}::uuid and seq = 99`,
      ],
      { seq: 2n, why: 'previous hash differs' },
    ],
    [
      'a changed head',
      (id) =>
        sql.unsafe`update wallet set audit_head = sha256('other') where wallet_id = ${id}::uuid`,
      { seq: 5n, why: 'head of the chain differs' },
    ],
    [
      'the last row cut off together with the head going back',
      (id) => sql.unsafe`update wallet set audit_seq = 4 where wallet_id = ${id}::uuid`,
      { seq: 4n, why: 'head of the chain differs' },
    ],
    [
      'a row that was recomputed without its followers',
      (id) =>
        sql.unsafe`update audit set reason = 'softer', hash = sha256('recomputed')
         where wallet_id = ${id}::uuid and seq = 2`,
      { seq: 2n, why: 'row was changed' },
    ],
  ];
  test.each(cases)('%s', async (_case, statement, found) => {
    const walletId = await chainOf(5);
    const other = await chainOf(2);
    await forgeLog(rows.db, [statement(walletId)].flat());
    expect(await verifyAudit(rows.db, walletId)).toEqual({ kind: 'broken', ...found });
    expect(await verifyAudit(rows.db, other)).toMatchObject({ kind: 'intact' });
  });
});

describe('a page of the log', () => {
  test('goes from the newest to the oldest without a gap or a repetition', async () => {
    const walletId = await chainOf(25);
    const seqs: bigint[] = [];
    let beforeSeq: bigint | undefined;
    for (let page = 0; page < 4; page += 1) {
      const read = await listAudit(rows.db, { walletId, beforeSeq, limit: 10 });
      seqs.push(...read.map(({ seq }) => seq));
      beforeSeq = read.at(-1)?.seq ?? beforeSeq;
    }
    expect(seqs).toEqual(Array.from({ length: 25 }, (_, index) => BigInt(25 - index)));
  });

  test('keeps its place while rows are added', async () => {
    const walletId = await chainOf(4);
    const first = await listAudit(rows.db, { walletId, limit: 2 });
    await append(walletId, [entry(), entry()]);
    const beforeSeq = first.at(-1)?.seq;
    const second = await listAudit(rows.db, { walletId, beforeSeq, limit: 2 });
    expect([...first, ...second].map(({ seq }) => seq)).toEqual([4n, 3n, 2n, 1n]);
  });

  test('filters by decision, session and wallet', async () => {
    const session = await rows.createSession();
    const other = await rows.createSession(session.walletId);
    await recordDenials(rows.db, [denialOf(session), denialOf(other)]);
    await append(session.walletId, [
      entry({ decision: 'allow', reason: null, txSignature: 's', sessionId: session.sessionId }),
    ]);
    const { walletId, sessionId } = session;
    const seqsOf = async (filter: object): Promise<readonly bigint[]> =>
      (await listAudit(rows.db, { walletId, limit: 10, ...filter })).map(({ seq }) => seq);
    expect(await seqsOf({ decision: 'deny' })).toEqual([2n, 1n]);
    expect(await seqsOf({ decision: 'allow' })).toEqual([3n]);
    expect(await seqsOf({ sessionId })).toEqual([3n, 1n]);
    expect(await seqsOf({ sessionId, decision: 'deny' })).toEqual([1n]);
    expect(await seqsOf({ walletId: await rows.createWallet() })).toEqual([]);
  });
});
