import { BorshInstructionCoder, type Idl } from '@coral-xyz/anchor';
import { Message } from '@solana/web3.js';
import { expect } from 'vitest';
import idl from '../../../program/idl/agent_wallet.json' with { type: 'json' };
import { PROGRAM_ID } from './fake-chain.ts';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON says less than the IDL's type
const coder = new BorshInstructionCoder(idl as Idl);

/** An instruction of our program as anybody with the IDL reads it; u64 and keys as text. */
export type ReadInstruction = {
  readonly name: string;
  readonly args: unknown;
  readonly accounts: readonly string[];
};

/** The message of an unsigned transaction: one empty signature, `owner` as fee payer. */
export function messageOf(txBase64: string, owner?: string): Message {
  const bytes = Buffer.from(txBase64, 'base64');
  expect(bytes[0]).toBe(1);
  expect(bytes.subarray(1, 65).equals(Buffer.alloc(64))).toBe(true);
  const message = Message.from(bytes.subarray(65));
  expect(message.header.numRequiredSignatures).toBe(1);
  if (owner !== undefined) expect(message.accountKeys[0]?.toBase58()).toBe(owner);
  return message;
}

/** What a transaction asks of our program. */
export function readInstructions(message: Message): ReadInstruction[] {
  const keys = message.accountKeys.map((key) => key.toBase58());
  return message.compiledInstructions.flatMap(({ programIdIndex, accountKeyIndexes, data }) => {
    if (keys[programIdIndex] !== PROGRAM_ID) return [];
    const decoded = coder.decode(Buffer.from(data));
    if (decoded === null) throw new Error('not an instruction of the IDL');
    const args: unknown = JSON.parse(
      JSON.stringify(decoded.data, (_, value: unknown) =>
        typeof value === 'string' && /^[0-9a-f]+$/.test(value)
          ? BigInt(`0x${value}`).toString()
          : value,
      ),
    );
    const accounts = accountKeyIndexes.map((index) => keys[index] ?? '');
    return [{ name: decoded.name, args, accounts }];
  });
}
