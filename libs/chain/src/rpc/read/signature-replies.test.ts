import { describe, expect, it } from 'vitest';

import { recordsOf, statusesOf } from './signature-replies.ts';

const FAILED = { InstructionError: [0, { Custom: 6_001 }] };

const statuses = (...value: readonly unknown[]) => ({
  ok: true as const,
  result: { context: { slot: 50, apiVersion: '4.0' }, value },
});
const records = (...result: readonly unknown[]) => ({ ok: true as const, result });

describe('statuses', () => {
  it('are read as they are told', () => {
    const told = { slot: 48, confirmations: 1, status: { Ok: null } };
    const reply = statuses(
      null,
      { ...told, err: null, confirmationStatus: 'confirmed' },
      { ...told, err: FAILED, confirmationStatus: 'finalized' },
      { ...told, err: 'AccountInUse', confirmationStatus: null },
    );
    expect(statusesOf(reply, 4)).toEqual({
      slot: 50n,
      statuses: [
        null,
        { slot: 48n, err: null, confirmationStatus: 'confirmed' },
        { slot: 48n, err: FAILED, confirmationStatus: 'finalized' },
        { slot: 48n, err: 'AccountInUse', confirmationStatus: 'processed' },
      ],
    });
  });

  const good = { slot: 48, err: null, confirmationStatus: 'confirmed' };
  it.each<[string, unknown]>([
    ['without an outcome', { slot: 48, confirmationStatus: 'confirmed' }],
    ['with an outcome that is a number', { ...good, err: 0 }],
    ['without a slot', { err: null, confirmationStatus: 'confirmed' }],
    ['at an unknown commitment', { ...good, confirmationStatus: 'rooted' }],
    ['that is a text', 'confirmed'],
  ])('%s are no reply', (_case, status) => {
    expect(() => statusesOf(statuses(good, status), 2)).toThrow(TypeError);
  });

  it('are no reply when one is missing, the node refused, or the slot is unknown', () => {
    expect(() => statusesOf(statuses(good), 2)).toThrow('missing');
    const refused = { ok: false as const, code: -32_016, message: 'behind', data: null };
    expect(() => statusesOf(refused, 0)).toThrow('behind');
    expect(() => statusesOf({ ok: true, result: { value: [] } }, 0)).toThrow('slot');
  });
});

describe('records', () => {
  it('are read in their order', () => {
    const told = { memo: null, blockTime: 1, confirmationStatus: 'confirmed' };
    expect(
      recordsOf(
        records(
          { ...told, signature: 'b', slot: 2, err: FAILED },
          { ...told, signature: 'a', slot: 1, err: null },
        ),
      ),
    ).toEqual([
      { signature: 'b', slot: 2n, err: FAILED },
      { signature: 'a', slot: 1n, err: null },
    ]);
  });

  it.each<[string, unknown]>([
    ['without a signature', { slot: 1, err: null }],
    ['without a slot', { signature: 'a', err: null }],
    ['without an outcome', { signature: 'a', slot: 1 }],
    ['that is nothing', null],
  ])('%s are no reply', (_case, record) => {
    expect(() => recordsOf(records(record))).toThrow(TypeError);
  });

  it('are no reply when the node refused or told something else', () => {
    expect(() => recordsOf({ ok: false, code: 1, message: 'no', data: null })).toThrow('no');
    expect(() => recordsOf({ ok: true, result: {} })).toThrow('list');
  });
});
