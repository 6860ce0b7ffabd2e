import { Keypair, type PublicKey } from '@solana/web3.js';
import { beforeEach, expect, test } from 'vitest';
import { createSteppedChain, SOL, type SteppedChain } from '../../../../fixtures/stepped-chain.ts';
import { FINALIZED_SLOTS } from '../chain-engine.ts';

let nowMs = 1_800_000_000_000;

let chain: SteppedChain;

beforeEach(() => {
  chain = createSteppedChain();
});

const signaturesOf = (address: PublicKey, query: object = {}): string[] => {
  const found = chain.call('getSignaturesForAddress', address.toBase58(), {
    commitment: 'confirmed',
    ...query,
  });
  return Array.isArray(found) ? found.map(({ signature }) => signature) : [];
};

test('pages of an address are newest first, between two signatures', () => {
  const to = Keypair.generate().publicKey;
  const sent = [1, 2, 3, 4, 5].map((part) => chain.send(chain.wireOf([chain.pay(to, part * SOL)])));
  expect(signaturesOf(to)).toEqual([]);
  chain.advance(1);
  const newestFirst = sent.toReversed();
  expect(signaturesOf(to)).toEqual(newestFirst);
  expect(signaturesOf(to, { limit: 2 })).toEqual(newestFirst.slice(0, 2));
  expect(signaturesOf(to, { before: sent[3], limit: 2 })).toEqual(newestFirst.slice(2, 4));
  expect(signaturesOf(to, { until: sent[1] })).toEqual(newestFirst.slice(0, 3));
});

test('it forgets the oldest above a count', () => {
  chain = createSteppedChain({ history: { maxTransactions: 3 } });
  const to = Keypair.generate().publicKey;
  const sent = [1, 2, 3, 4, 5].map((part) =>
    chain.send(chain.wireOf([chain.pay(to, part * 1_000_000)])),
  );
  chain.advance(1);
  expect(signaturesOf(to)).toEqual(sent.slice(2).toReversed());
  expect(sent.map((signature) => chain.statusOf(signature) !== null)).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
  chain.advance(FINALIZED_SLOTS);
  const options = { commitment: 'confirmed', encoding: 'json' };
  expect(chain.call('getTransaction', sent[0], options)).toBeNull();
});

test('it forgets what is older than its age, and still lets nothing land twice', () => {
  chain = createSteppedChain({ now: () => nowMs, history: { maxAgeSeconds: 60 } });
  const to = Keypair.generate();
  const wire = chain.wireOf([chain.pay(to.publicKey, SOL)]);
  const signature = chain.send(wire);
  nowMs += 61_000;
  chain.advance(1);
  expect(chain.statusOf(signature)).toBeNull();
  chain.send(wire, { skipPreflight: true });
  expect(chain.balance(to, 'processed')).toBe(SOL);
});
