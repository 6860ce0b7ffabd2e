import { Message } from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';

import {
  addressOf,
  commonFields,
  feePayer,
  fieldOf,
  program,
  sessionKey,
  signedBits,
} from '../../fixtures/spend-to-sign.ts';
import { SANDBOX_RESERVE } from '../reserve/known-reserves.ts';
import { signSpend } from './semantic-signer.ts';
import { unitLimitOf, writableAccountsOf } from '../build/spend-action.ts';
import { buildSpendMessage, type SpendIntent } from '../build/spend-message.ts';

const common = { ...commonFields, reserve: SANDBOX_RESERVE };
type YieldIntent = Exclude<SpendIntent, { readonly kind: 'transfer' }>;
const deposit: YieldIntent = { kind: 'yield_deposit', ...common };
const withdraw: YieldIntent = { kind: 'yield_withdraw', ...common, collateralAmount: 1_100_000n };

const sign = (intent: YieldIntent, messageBytes: Uint8Array): Promise<unknown> =>
  fieldOf(() => signSpend(program, { intent, messageBytes, sessionKey, feePayer }));

/** The message with another deadline in its yield instruction, whose last argument it is. */
function withDeadline(messageBytes: Uint8Array, deadline: bigint): Uint8Array {
  const message = Message.from(Buffer.from(messageBytes));
  for (const instruction of message.instructions.slice(2)) {
    const data = Buffer.from(bs58.decode(instruction.data));
    data.writeBigInt64LE(deadline, data.length - 8);
    instruction.data = bs58.encode(data);
  }
  return message.serialize();
}

describe.each([deposit, withdraw])('a $kind', (intent) => {
  const messageBytes = buildSpendMessage(program, intent);

  it('is signed as the row says, within a packet', async () => {
    const { wire } = await signSpend(program, { intent, messageBytes, sessionKey, feePayer });
    expect(wire.length).toBeLessThanOrEqual(1_232);
  });

  it('is refused when one bit differs', async () => {
    expect(await signedBits(messageBytes, (bytes) => sign(intent, bytes))).toEqual([]);
  }, 120_000);

  it.each<[string, object]>([
    ['amount', { amount: 1_250_001n }],
    ['spendSeq', { spendSeq: 8n }],
    ['sessionIndex', { sessionIndex: 4n }],
    ['spendId', { spendId: '0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6072' }],
    ['vault', { vault: addressOf(6) }],
    ['reserve', { reserve: { ...SANDBOX_RESERVE, reserve: addressOf(6) } }],
    ['program of the reserve', { reserve: { ...SANDBOX_RESERVE, programId: addressOf(6) } }],
    ['mint of collateral', { reserve: { ...SANDBOX_RESERVE, collateralMint: addressOf(6) } }],
  ])('built for another %s is refused', async (_name, change) => {
    const other = buildSpendMessage(program, { ...intent, ...change });
    expect(await sign(intent, other)).not.toBe('signed');
  });

  it('is signed without a deadline, the largest i64, and refused with any other', async () => {
    expect(Buffer.from(withDeadline(messageBytes, 2n ** 63n - 1n)).equals(messageBytes)).toBe(true);
    for (const deadline of [2n ** 63n - 2n, 1_900_000_000n, 0n, -1n]) {
      expect(await sign(intent, withDeadline(messageBytes, deadline))).toBe('arguments');
    }
  });

  it('locks vault and reserve, and may use more than a transfer', async () => {
    const writable = writableAccountsOf(program, intent);
    expect(writable).toContain(intent.vault);
    expect(writable).toContain(SANDBOX_RESERVE.reserve);
    expect(unitLimitOf(program, intent)).toBeLessThan(400_000);
  });
});

it('a withdrawal of other collateral is refused, and so is the wrong kind', async () => {
  const other = buildSpendMessage(program, { ...withdraw, collateralAmount: 1_100_001n });
  expect(await sign(withdraw, other)).not.toBe('signed');
  expect(await sign(withdraw, buildSpendMessage(program, deposit))).not.toBe('signed');
  expect(await sign(deposit, buildSpendMessage(program, withdraw))).not.toBe('signed');
});
