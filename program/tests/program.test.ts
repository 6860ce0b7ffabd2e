import { createHash } from 'node:crypto';
import { type PublicKey, TransactionInstruction } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { attempt, EVENT_AUTHORITY } from './support/call.ts';
import { initVault } from './support/calls.ts';
import { keypair, type Outcome, PROGRAM_ID, publicTestKey, send } from './support/chain.ts';
import { expectError, EVENT_CPI_TAG } from './support/expect.ts';
import { idl } from './support/idl.ts';
import { emptyWorld, type World } from './support/world.ts';

describe('the program', () => {
  it.each([
    ['no data', Buffer.alloc(0)],
    ['seven bytes', Buffer.alloc(7)],
    ['an unknown instruction', Buffer.alloc(8, 9)],
    ['the IDL instruction of Anchor', Buffer.from('40f4bc78a7e9690a', 'hex')],
  ])('refuses %s', (_name, data) => {
    expectError(call(emptyWorld(), data, []), 'InstructionFallbackNotFound');
  });

  it('accepts an event only from itself', () => {
    const world = emptyWorld();
    const signer = world.payer.publicKey;
    expectError(call(world, EVENT_CPI_TAG, []), 'AccountNotEnoughKeys');
    const unsigned = call(world, EVENT_CPI_TAG, [[EVENT_AUTHORITY, false]]);
    expectError(unsigned, 'ConstraintSigner', 'event_authority');
    const foreign = call(world, EVENT_CPI_TAG, [[signer, true]]);
    expectError(foreign, 'ConstraintSeeds', 'event_authority');
  });

  it('refuses to run at any other address', () => {
    const world = emptyWorld('', keypair('another program').publicKey);
    const programId = keypair('another program').publicKey;
    const outcome = call(world, Buffer.alloc(8), [], programId);
    expectError(outcome, 'DeclaredProgramIdMismatch');
  });

  it('has the address of the public test key', () => {
    expect(publicTestKey('agent_wallet').toBase58()).toBe(PROGRAM_ID.toBase58());
  });

  it('needs only the accounts of its IDL, which never include the fee payer', () => {
    const world = emptyWorld();
    const accounts = initVault(world).accounts.map((meta) => meta.pubkey.toBase58());
    expect(accounts).not.toContain(world.payer.publicKey.toBase58());
    expect(attempt(world, initVault(world)).failed).toBe(false);
  });
});

describe('the IDL', () => {
  it.each([
    ['global', idl.instructions],
    ['account', idl.accounts ?? []],
    ['event', idl.events ?? []],
  ])("has Anchor's discriminator for every entry of the namespace %s", (namespace, definitions) => {
    for (const { name, discriminator } of definitions) {
      const hash = createHash('sha256').update(`${namespace}:${name}`).digest();
      expect([name, discriminator]).toEqual([name, [...hash.subarray(0, 8)]]);
    }
  });

  it('has a type for every account and event', () => {
    const types = new Set(idl.types?.map((type) => type.name));
    const named = [...(idl.accounts ?? []), ...(idl.events ?? [])];
    expect(named.filter(({ name }) => !types.has(name))).toEqual([]);
  });
});

function call(
  world: World,
  data: Buffer,
  accounts: [PublicKey, boolean][],
  programId = PROGRAM_ID,
): Outcome {
  const keys = accounts.map(([pubkey, isSigner]) => ({ pubkey, isSigner, isWritable: false }));
  return send(world.svm, [new TransactionInstruction({ programId, keys, data })], [world.payer]);
}
