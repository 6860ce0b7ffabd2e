import { Message } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';

import { addressOf, commonFields, keyOf, program } from '../../fixtures/spend-to-sign.ts';
import { createWalletProgram } from '../program/program.ts';
import { readFacilitatedSpend, type FacilitatedSpend } from './read-facilitated-spend.ts';
import { buildSpendMessage } from '../build/spend-message.ts';

const payment: FacilitatedSpend = {
  kind: 'transfer',
  ...commonFields,
  recipient: addressOf(4),
  facilitated: { memo: 'order 17 – déjà payé' },
};
const messageBytes = buildSpendMessage(program, payment);

/** The payment with its legacy part changed after decoding. */
function mutated(change: (message: Message) => void): Uint8Array {
  const message = Message.from(Buffer.from(messageBytes.subarray(1, -1)));
  change(message);
  return Uint8Array.from([0x80, ...message.serialize(), 0]);
}

describe('the reader of payments that a facilitator sends', () => {
  it('returns what the lane has built', () => {
    expect(readFacilitatedSpend(program, messageBytes)).toEqual(payment);
  });

  it('reads a message in which one bit differs as what it now says, byte for byte, or not at all', () => {
    const misread = Array.from({ length: messageBytes.length * 8 }, (_, bit) => bit).filter(
      (bit) => {
        const flipped = Uint8Array.from(messageBytes);
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const read = readFacilitatedSpend(program, flipped);
        return read !== null && Buffer.compare(buildSpendMessage(program, read), flipped) !== 0;
      },
    );
    expect(misread).toEqual([]);
  }, 120_000);

  it.each<[string, (message: Message) => void]>([
    ['two transfers', (m) => void m.instructions.push(...m.instructions.slice(2, 3))],
    ['no memo', (m) => void m.instructions.pop()],
    ['two memos', (m) => void m.instructions.push(...m.instructions.slice(3))],
    ['another order', (m) => void m.instructions.unshift(...m.instructions.splice(2))],
    ['one account more', (m) => void m.accountKeys.push(keyOf(7).publicKey)],
    ['a third signer', (m) => void (m.header.numRequiredSignatures = 3)],
    ['one account more for the transfer', (m) => void m.instructions[2]?.accounts.push(0)],
    ['no instructions', (m) => void m.instructions.splice(0)],
  ])('returns null for %s', (_case, change) => {
    expect(readFacilitatedSpend(program, mutated(change))).toBeNull();
  });

  it('returns null for a payment to its own fee payer, of another program, and for no message', () => {
    const circular = { ...payment, recipient: payment.feePayer };
    expect(readFacilitatedSpend(program, buildSpendMessage(program, circular))).toBeNull();
    const { usdcMint } = program;
    const other = createWalletProgram({ programId: addressOf(8), usdcMint });
    expect(readFacilitatedSpend(other, messageBytes)).toBeNull();
    const { facilitated, ...own } = payment;
    expect(facilitated.memo).not.toBe('');
    expect(readFacilitatedSpend(program, buildSpendMessage(program, own))).toBeNull();
    expect(readFacilitatedSpend(program, Uint8Array.of())).toBeNull();
    expect(readFacilitatedSpend(program, Uint8Array.of(0x80, 1, 2, 3, 0))).toBeNull();
  });
});
