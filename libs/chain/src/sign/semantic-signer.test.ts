import { createLocalSigner, type Signer } from '@agent-wallet/signer';
import { Keypair, Message, VersionedTransaction } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';

import {
  addressOf,
  commonFields,
  feePayer,
  fieldOf,
  keyOf,
  program,
  sessionKey,
  signedBits,
  signerOf,
} from '../../fixtures/spend-to-sign.ts';
import { signForFacilitator, signSpend } from './semantic-signer.ts';
import { buildSpendMessage, type SpendIntent } from '../build/spend-message.ts';

type TransferIntent = Extract<SpendIntent, { readonly kind: 'transfer' }>;

const intent: TransferIntent = { kind: 'transfer', ...commonFields, recipient: addressOf(4) };
const messageBytes = buildSpendMessage(program, intent);

const signBytes = (
  bytes: Uint8Array,
  keys: { readonly sessionKey?: Signer; readonly feePayer?: Signer } = {},
): Promise<unknown> =>
  fieldOf(() => signSpend(program, { intent, messageBytes: bytes, sessionKey, feePayer, ...keys }));

/** The message with one thing changed after decoding. */
function mutated(change: (message: Message) => void): Uint8Array {
  const message = Message.from(Buffer.from(messageBytes));
  change(message);
  return message.serialize();
}

const indexOf = (message: Message, address: string): number =>
  message.accountKeys.findIndex((key) => key.toBase58() === address);

const put = (message: Message, address: string, { publicKey }: Keypair): void =>
  void (message.accountKeys[indexOf(message, address)] = publicKey);

const lengthen = (message: Message, instruction: number): void =>
  void message.instructions[instruction]?.accounts.push(1);

function exchange(message: Message, one: number, other: number): void {
  const [first, second] = [message.accountKeys[one], message.accountKeys[other]];
  if (first === undefined || second === undefined) throw new RangeError('no such account');
  message.accountKeys[one] = second;
  message.accountKeys[other] = first;
}

describe('the semantic signer', () => {
  it('signs what the row says, deterministically, within a packet', async () => {
    const request = { intent, messageBytes, sessionKey, feePayer };
    const signed = await signSpend(program, request);
    const decoded = VersionedTransaction.deserialize(signed.wire);
    expect(decoded.signatures).toHaveLength(2);
    expect(Buffer.from(decoded.message.serialize()).equals(messageBytes)).toBe(true);
    expect(await signSpend(program, request)).toEqual(signed);
    expect(signed.wire.length).toBeLessThan(700);
    // The client library signs the same bytes to the same signatures.
    const reference = new VersionedTransaction(decoded.message);
    reference.sign([keyOf(2), keyOf(1)]);
    expect(Buffer.from(reference.serialize()).equals(signed.wire)).toBe(true);
  });

  it.each<[keyof TransferIntent, TransferIntent[keyof TransferIntent]]>([
    ['amount', 1_250_001n],
    ['spendSeq', 8n],
    ['sessionIndex', 4n],
    ['spendId', '0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6072'],
    ['recipient', addressOf(5)],
    ['vault', addressOf(6)],
    ['blockhash', addressOf(8)],
    ['computeUnitLimit', 1_400_000],
    ['computeUnitPrice', 1_000_000_000n],
    ['feePayer', addressOf(5)],
    ['sessionPubkey', addressOf(5)],
  ])('refuses a message built for another %s', async (field, value) => {
    expect(await signBytes(buildSpendMessage(program, { ...intent, [field]: value }))).not.toBe(
      'signed',
    );
  });

  it('refuses every message in which one bit differs', async () => {
    expect(await signedBits(messageBytes, signBytes)).toEqual([]);
  }, 120_000);

  it.each<[string, string, (message: Message) => void]>([
    ['one twice', 'instructions', (m) => void m.instructions.push(...m.instructions.slice(2))],
    ['no instruction of ours', 'instructions', (m) => void m.instructions.pop()],
    ['another order', 'program', (m) => void m.instructions.unshift(...m.instructions.splice(2))],
    ['three signers for two', 'signatures', (m) => void (m.header.numRequiredSignatures = 3)],
    ['one account more', 'accounts', (m) => void m.accountKeys.push(keyOf(7).publicKey)],
    ['the session key writable', 'flags', (m) => void (m.header.numReadonlySignedAccounts = 0)],
    ['the vault writable', 'flags', (m) => void (m.header.numReadonlyUnsignedAccounts -= 1)],
    ['fee payer and session key exchanged', 'feePayer', (m) => exchange(m, 0, 1)],
    ['session key and vault exchanged', 'flags', (m) => exchange(m, 1, indexOf(m, intent.vault))],
    ['another mint', 'accounts', (m) => put(m, program.usdcMint, keyOf(7))],
    ['an account twice', 'accounts', (m) => put(m, intent.recipient, keyOf(1))],
    ['one more for the transfer', 'instructionAccounts', (m) => lengthen(m, 2)],
    ['an account for the compute budget', 'instructionAccounts', (m) => lengthen(m, 0)],
  ])('refuses %s: %s', async (_case, field, change) => {
    expect(await signBytes(mutated(change))).toBe(field);
  });

  it.each([
    ['the mint', program.usdcMint],
    ['the vault', intent.vault],
    ['the session key', intent.sessionPubkey],
    ['the session', program.addresses.sessionPda(intent.vault, intent.sessionPubkey)],
    ['the program', program.programId],
  ])('leaves the refusal of %s as a recipient to the program', async (_case, recipient) => {
    const odd = { ...intent, recipient };
    const request = { intent: odd, messageBytes: buildSpendMessage(program, odd) };
    expect(await fieldOf(() => signSpend(program, { ...request, sessionKey, feePayer }))).toBe(
      'signed',
    );
  });

  it('refuses the fee payer as a recipient', async () => {
    const odd = { ...intent, recipient: intent.feePayer };
    const request = { intent: odd, messageBytes: buildSpendMessage(program, odd) };
    expect(await fieldOf(() => signSpend(program, { ...request, sessionKey, feePayer }))).toBe(
      'feePayerInInstruction',
    );
  });

  it('refuses a session key that pays its own fees', async () => {
    const odd = { ...intent, feePayer: intent.sessionPubkey };
    const request = { intent: odd, messageBytes: buildSpendMessage(program, odd) };
    const sign = () => signSpend(program, { ...request, sessionKey, feePayer: sessionKey });
    expect(await fieldOf(sign)).toBe('signatures');
  });

  it('refuses a secret that does not belong to its public key', async () => {
    const publicKey = keyOf(1).publicKey.toBytes();
    const broken = new Keypair({ publicKey, secretKey: keyOf(5).secretKey });
    const brokenSigner = createLocalSigner(broken);
    const sign = () =>
      signSpend(program, { intent, messageBytes, sessionKey: brokenSigner, feePayer });
    expect(await fieldOf(sign)).toBe('key');
  });

  it('refuses the fee payer in an instruction', async () => {
    const bytes = mutated((message) => {
      const transfer = message.instructions[2];
      if (transfer !== undefined) transfer.accounts[0] = 0;
    });
    expect(await signBytes(bytes)).toBe('instructionAccounts');
  });

  it('refuses bytes after the end, versioned messages and garbage', async () => {
    expect(await signBytes(Buffer.concat([messageBytes, Buffer.from([0])]))).toBe('encoding');
    expect(await signBytes(Buffer.concat([Buffer.from([0x80]), messageBytes]))).toBe('version');
    expect(await signBytes(new Uint8Array(0))).toBe('version');
    expect(await signBytes(new Uint8Array(64).fill(1))).not.toBe('signed');
  });

  it('refuses keys that differ from the row', async () => {
    expect(await signBytes(messageBytes, { sessionKey: signerOf(5) })).toBe('sessionKey');
    expect(await signBytes(messageBytes, { feePayer: signerOf(5) })).toBe('feePayer');
    expect(await signBytes(messageBytes, { feePayer: sessionKey })).toBe('feePayer');
  });
});

describe('what a facilitator sends', () => {
  const payerAddress = addressOf(12);
  const theirs: TransferIntent = {
    ...intent,
    feePayer: payerAddress,
    facilitated: { memo: 'order 17 – déjà payé' },
  };
  const theirBytes = buildSpendMessage(program, theirs);
  const signTheirs = (bytes: Uint8Array, change: Partial<TransferIntent> = {}): Promise<unknown> =>
    fieldOf(() =>
      signForFacilitator(program, {
        intent: { ...theirs, ...change },
        messageBytes: bytes,
        sessionKey,
      }),
    );

  it('is a version 0 message without lookups, signed by the session key alone', async () => {
    const wire = await signForFacilitator(program, {
      intent: theirs,
      messageBytes: theirBytes,
      sessionKey,
    });
    const decoded = VersionedTransaction.deserialize(wire);
    expect(decoded.version).toBe(0);
    expect(decoded.message.addressTableLookups).toEqual([]);
    expect(decoded.message.staticAccountKeys[0]?.toBase58()).toBe(payerAddress);
    expect(decoded.signatures[0]).toEqual(new Uint8Array(64));
    const memo = decoded.message.compiledInstructions[3];
    expect(Buffer.from(memo?.data ?? []).toString('utf8')).toBe('order 17 – déjà payé');
    expect(memo?.accountKeyIndexes).toEqual([]);
    // The facilitator completes it, and has the same bytes as the client library.
    const reference = new VersionedTransaction(decoded.message);
    reference.sign([keyOf(12), keyOf(1)]);
    decoded.sign([keyOf(12)]);
    expect(Buffer.from(reference.serialize()).equals(decoded.serialize())).toBe(true);
  });

  it('fits into a packet with the longest memo', async () => {
    const memo = 'm'.repeat(256);
    const longest = { ...theirs, facilitated: { memo } };
    const request = { intent: longest, messageBytes: buildSpendMessage(program, longest) };
    const wire = await signForFacilitator(program, { ...request, sessionKey });
    expect(wire.length).toBeLessThanOrEqual(1_232);
  });

  it('is refused when one bit differs', async () => {
    expect(await signedBits(theirBytes, signTheirs)).toEqual([]);
  }, 120_000);

  it('is refused with another memo, without one, and with two', async () => {
    expect(await signTheirs(theirBytes)).toBe('signed');
    expect(await signTheirs(theirBytes, { facilitated: { memo: 'order 18' } })).toBe('arguments');
    const { facilitated, ...ours } = theirs;
    expect(facilitated).toBeDefined();
    const without = Buffer.concat([
      Buffer.from([0x80]),
      buildSpendMessage(program, ours),
      Buffer.from([0]),
    ]);
    expect(await signTheirs(without)).not.toBe('signed');
    const message = Message.from(Buffer.from(theirBytes).subarray(1, -1));
    message.instructions.push(...message.instructions.slice(3));
    const twice = Buffer.concat([Buffer.from([0x80]), message.serialize(), Buffer.from([0])]);
    expect(await signTheirs(twice)).toBe('instructions');
  });

  it('is refused with a lookup table', async () => {
    const body = Buffer.from(theirBytes).subarray(0, -1);
    const lookup = Buffer.concat([
      Buffer.from([1]),
      keyOf(7).publicKey.toBytes(),
      Buffer.from([1, 0, 0]),
    ]);
    expect(await signTheirs(Buffer.concat([body, lookup]))).toBe('encoding');
  });

  it.each([
    ['the vault', intent.vault, 'feePayerInInstruction'],
    ['the recipient', intent.recipient, 'feePayerInInstruction'],
    ['the mint', program.usdcMint, 'feePayerInInstruction'],
    ['our program', program.programId, 'feePayerInInstruction'],
    ['the session key', intent.sessionPubkey, 'signatures'],
  ])('is refused when %s is to pay the fee', async (_case, feePayerAddress, field) => {
    const odd = { ...theirs, feePayer: feePayerAddress };
    expect(await signTheirs(buildSpendMessage(program, odd), odd)).toBe(field);
  });

  it('is never signed as one of our own, and ours never as one of a facilitator', async () => {
    const theirsAsOurs = { intent: theirs, messageBytes: theirBytes, sessionKey };
    expect(
      await fieldOf(() => signSpend(program, { ...theirsAsOurs, feePayer: signerOf(12) })),
    ).toBe('facilitated');
    expect(
      await fieldOf(() => signForFacilitator(program, { intent, messageBytes, sessionKey })),
    ).toBe('facilitated');
    expect(await signTheirs(messageBytes)).toBe('version');
    expect(await signBytes(theirBytes)).toBe('version');
  });
});
