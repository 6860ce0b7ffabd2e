import type { SignatureStatus } from '@agent-wallet/chain';
import { createLogger } from '@agent-wallet/process';
import type { LandedSpend, Spend } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSpendRows, type SpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { SPEND_STATES } from '../../../../tests/support/database/spend-states.ts';
import { program } from '../../fixtures/chain.ts';
import { createMetrics } from '../metrics.ts';
import { finalityOf, isDueForFinality } from './finality.ts';
import { createFinalizeLandings } from './finalize-landings.ts';

const FINAL: SignatureStatus = { slot: 2_000n, err: null, confirmationStatus: 'finalized' };
const CONFIRMED: SignatureStatus = { ...FINAL, confirmationStatus: 'confirmed' };

const landed = (landedError: boolean, settledMsAgo: number): LandedSpend => ({
  spendId: 'spend',
  sessionId: 'session',
  walletId: 'wallet',
  txSignature: 'signature',
  landedSlot: 2_000n,
  landedError,
  settledMsAgo,
  attemptNo: 1,
});

describe('the finality of a landing', () => {
  test.each<[string, boolean, number, SignatureStatus | null, string]>([
    ['a success that is final', false, 1_000, FINAL, 'final'],
    ['a failure that is final', true, 1_000, { ...FINAL, err: 'x' }, 'final'],
    ['not final yet', false, 60_000, CONFIRMED, 'open'],
    ['not shown for a moment', false, 9_999, null, 'open'],
    ['no longer shown', false, 10_000, null, 'gone'],
    ['a success that failed in the end', false, 1_000, { ...FINAL, err: 'x' }, 'failed_after_all'],
    ['a failure that succeeded in the end', true, 1_000, FINAL, 'succeeded_after_all'],
    [
      'a success that shows as failed, but not finally',
      false,
      1_000,
      { ...CONFIRMED, err: 1 },
      'open',
    ],
  ])('%s', (_case, landedError, settledMsAgo, status, expected) => {
    expect(finalityOf(landed(landedError, settledMsAgo), status)).toBe(expected);
  });
});

test.each([
  ['below the finalized slot', 1_999n, 1_000, true],
  ['in the finalized slot', 2_000n, 1_000, true],
  ['above the finalized slot', 2_001n, 14_999, false],
  ['above it for longer than finality takes', 2_001n, 15_000, true],
])(
  'a landing %s: slot %s, %i ms, is looked at: %s',
  (_case, landedSlot, settledMsAgo, expected) => {
    expect(isDueForFinality({ landedSlot, settledMsAgo }, 2_000n)).toBe(expected);
  },
);

describe('a pass', () => {
  let rows: SpendRows;
  beforeAll(async () => {
    rows = await openSpendRows();
  });
  beforeEach(async () => {
    await rows.db.query(sql.unsafe`
      update spend set status = 'finalized' where status in ('confirmed', 'reverted')
    `);
  });
  afterAll(() => rows[Symbol.asyncDispose]());

  /** A spend that landed some seconds ago. */
  async function landedSpend(state: 'confirmed' | 'reverted'): Promise<Spend> {
    const spend = await rows.accept(await rows.createSession());
    await SPEND_STATES[state](rows, spend);
    await rows.db.query(sql.unsafe`
      update spend set settled_at = now() - interval '3 seconds'
      where spend_id = ${spend.spendId}::uuid
    `);
    return rows.read(spend.spendId);
  }

  const passWith = (
    statusOf: (signature: string) => SignatureStatus | null,
    finalizedSlot = 2_000n,
  ): Promise<number> =>
    createFinalizeLandings({
      db: rows.db,
      rpc: {
        slot: async () => finalizedSlot,
        signatureStatuses: async (signatures) => ({
          slot: 3_000n,
          statuses: signatures.map(statusOf),
        }),
        transaction: () => Promise.reject(new Error('must not be read')),
      },
      program,
      nudge: async () => {},
      log: createLogger({ name: 'test', level: 'silent' }),
      metrics: createMetrics(),
    })();

  test('finalizes each spend by its own status, and appends no decision', async () => {
    const [final, open, missing] = [
      await landedSpend('confirmed'),
      await landedSpend('confirmed'),
      await landedSpend('confirmed'),
    ];
    const failed = await landedSpend('reverted');
    const statuses = new Map<string | null, SignatureStatus>([
      [final.txSignature, FINAL],
      [open.txSignature, CONFIRMED],
      [failed.txSignature, { ...FINAL, err: 'x' }],
    ]);
    await passWith((signature) => statuses.get(signature) ?? null);
    const after = await Promise.all(
      [final, open, missing, failed].map(({ spendId }) => rows.read(spendId)),
    );
    expect(after.map(({ status }) => status)).toEqual([
      'finalized',
      'confirmed',
      'confirmed',
      'rejected',
    ]);
    for (const { spendId } of after) expect(await rows.auditOf(spendId)).toHaveLength(1);
  });

  test('that cannot read the chain changes nothing', async () => {
    const spend = await landedSpend('confirmed');
    const away = passWith(() => {
      throw new Error('RPC is away');
    });
    await expect(away).rejects.toThrow('RPC is away');
    expect(await rows.read(spend.spendId)).toEqual(spend);
  });

  test('asks for no status of a landing above the finalized slot', async () => {
    await landedSpend('confirmed');
    const pass = passWith(() => {
      throw new Error('must not be called');
    }, 1_999n);
    expect(await pass).toBeGreaterThan(0);
  });

  test('without landings reads nothing from the chain', async () => {
    const pass = passWith(() => {
      throw new Error('must not be called');
    });
    expect(await pass).toBeGreaterThan(0);
  });
});
