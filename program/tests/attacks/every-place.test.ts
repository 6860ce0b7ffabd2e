import type { PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { attempt, type Call, run } from '../support/call.ts';
import { readonly, unsigned, withData } from '../support/mutators.ts';
import { keypair, PROGRAM_ID, setAccount } from '../support/chain.ts';
import { everyInstruction } from '../support/every-instruction.ts';
import { expectError } from '../support/expect.ts';
import { idl } from '../support/idl.ts';
import type { World } from '../support/world.ts';

const TAG_LENGTH = 8;

describe('the list of attacked instructions', () => {
  it('has every instruction of the IDL', () => {
    const names = new Set(everyInstruction.map(([name]) => name.split(' ')[0]));
    expect(names).toEqual(new Set(idl.instructions.map(({ name }) => name)));
  });
});

describe.each(everyInstruction)('%s', (_name, makeCall, makeWorld) => {
  it('accepts no account in the place of another', () => {
    const world = makeWorld();
    const call = makeCall(world);
    const spoiled = call.accounts.flatMap((at) =>
      call.accounts
        .filter((other) => !other.pubkey.equals(at.pubkey))
        .map((other) => [`${other.name} as ${at.name}`, put(call, at.name, other.pubkey)] as const),
    );
    expect(spoiled.length).toBeGreaterThan(10);
    expect(passing(world, spoiled)).toEqual([]);
    run(world, call);
  });

  it('accepts no account of a stranger in any place', () => {
    const world = makeWorld();
    const call = makeCall(world);
    const empty = keypair('an address without anything').publicKey;
    const ours = keypair('an account of this program without anything').publicKey;
    setAccount(world.svm, ours, { owner: PROGRAM_ID, data: Buffer.alloc(96) });
    const strangers = [empty, ours, world.stranger.publicKey, world.payer.publicKey];
    const spoiled = call.accounts.flatMap(({ name }) =>
      strangers.map(
        (one, place) => [`stranger ${place} as ${name}`, put(call, name, one)] as const,
      ),
    );
    expect(passing(world, spoiled)).toEqual([]);
    run(world, call);
  });

  it('needs every signature and every writable flag of the IDL', () => {
    const world = makeWorld();
    const call = makeCall(world);
    const spoiled = call.accounts.flatMap(({ name, isSigner, isWritable }) => [
      ...(isSigner ? [[`${name} does not sign`, unsigned(name)(call, world)] as const] : []),
      ...(isWritable ? [[`${name} is not writable`, readonly(name)(call, world)] as const] : []),
    ]);
    expect(spoiled.length).toBeGreaterThan(1);
    expect(passing(world, spoiled)).toEqual([]);
    run(world, call);
  });

  it('refuses any smaller number of accounts', () => {
    const world = makeWorld();
    const call = makeCall(world);
    for (let count = 0; count < call.accounts.length; count += 1) {
      const shortened = { ...call, accounts: call.accounts.slice(0, count) };
      const signers = call.signers.filter((key) => signs(shortened, key.publicKey));
      expectError(attempt(world, { ...shortened, signers }), 'AccountNotEnoughKeys');
    }
  });

  it('refuses arguments of any other length', () => {
    const world = makeWorld();
    const call = makeCall(world);
    for (const data of otherLengths(encoded(call, world))) {
      const error =
        data.length < TAG_LENGTH ? 'InstructionFallbackNotFound' : 'InstructionDidNotDeserialize';
      expectError(attempt(world, { ...call, data }), error);
    }
    run(world, call);
  });
});

/** Names of the calls that the program itself did not refuse. */
function passing(world: World, calls: readonly (readonly [string, Call])[]): string[] {
  const refusal = `Program ${PROGRAM_ID.toBase58()} failed`;
  return calls
    .filter(([, call]) => {
      const { failed, logs } = attempt(world, call);
      return !failed || !logs.some((line) => line.startsWith(refusal));
    })
    .map(([name]) => name);
}

/** Another account in a place, signing only if its key is at hand. */
function put(call: Call, name: string, pubkey: PublicKey): Call {
  const isSigner = call.signers.some((key) => key.publicKey.equals(pubkey));
  const accounts = call.accounts.map((meta) =>
    meta.name === name ? { ...meta, pubkey, isSigner } : meta,
  );
  const signers = call.signers.filter((key) => signs({ accounts }, key.publicKey));
  return { ...call, accounts, signers };
}

function signs({ accounts }: Pick<Call, 'accounts'>, key: PublicKey): boolean {
  return accounts.some(({ isSigner, pubkey }) => isSigner && pubkey.equals(key));
}

function encoded(call: Call, world: World): Buffer {
  return withData((data) => data)(call, world).data ?? Buffer.alloc(0);
}

/** Every shorter length and some longer ones. */
function otherLengths(data: Buffer): Buffer[] {
  const shorter = Array.from({ length: data.length }, (_, length) => data.subarray(0, length));
  const longer = [1, 7, 32, 400].map((more) => Buffer.concat([data, Buffer.alloc(more)]));
  return [...shorter, ...longer];
}
