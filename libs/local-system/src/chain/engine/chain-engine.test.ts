import { Keypair } from '@solana/web3.js';
import { array, assert, nat, property, record } from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { RpcError } from '../rpc/rpc-error.ts';
import { createSteppedChain, SOL, type SteppedChain } from '../../../fixtures/stepped-chain.ts';

const CLOCK = 'SysvarC1ock11111111111111111111111111111111';

let nowMs = 1_800_000_000_000;
let chain: SteppedChain;

beforeEach(() => {
  chain = createSteppedChain({ now: () => nowMs });
});

/** Simulates any bytes and returns the code of the error, null when they were executed. */
function simulationCode(bytes: Buffer): unknown {
  const options = { encoding: 'base64', replaceRecentBlockhash: true };
  try {
    chain.call('simulateTransaction', bytes.toString('base64'), options);
    return null;
  } catch (error) {
    return error instanceof RpcError ? error.code : error;
  }
}

// LiteSVM ends the process on bytes that it cannot read.
test('bytes that are no transaction are refused with -32602, whatever they are', () => {
  const wire = chain.wireOf([chain.pay(Keypair.generate().publicKey, SOL)]);
  const change = record({ at: nat(wire.length - 1), byte: nat(255) });
  const changes = array(change, { minLength: 1, maxLength: 4 });
  assert(
    property(changes, nat(wire.length), (changed, length) => {
      const bytes = Buffer.from(wire);
      for (const { at, byte } of changed) bytes[at] = byte;
      expect([null, -32_602]).toContain(simulationCode(bytes));
      expect([null, -32_602]).toContain(simulationCode(bytes.subarray(0, length)));
    }),
    { numRuns: 300 },
  );
});

test('the clock of programs is the time of the machine', () => {
  nowMs = 1_900_000_000_999;
  chain.advance(1);
  const account = chain.engine.account(CLOCK, 'processed');
  const data = Buffer.from(account?.data ?? []);
  expect([data.readBigUInt64LE(0), data.readBigInt64LE(32)]).toEqual([
    BigInt(chain.engine.slot('processed')),
    1_900_000_000n,
  ]);
  expect(chain.call('getBlockTime', chain.engine.slot('processed'))).toBe(1_900_000_000);
});

function seededFacts(seed: string): readonly unknown[] {
  const seeded = createSteppedChain({ seed });
  seeded.advance(3);
  return [
    seeded.call('getGenesisHash'),
    seeded.valueOf('getLatestBlockhash', { commitment: 'processed' }),
  ];
}

test('a seed makes two chains equal', () => {
  expect(seededFacts('one')).toEqual(seededFacts('one'));
  expect(seededFacts('one')).not.toEqual(seededFacts('two'));
});

test('a method that does not exist is refused with its name', () => {
  expect(chain.errorOf('getFortune')).toMatchObject({
    code: -32_601,
    message: 'Method not found: getFortune',
  });
});
