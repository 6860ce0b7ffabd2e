import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { createSteppedChain, SOL } from '../../../fixtures/stepped-chain.ts';
import { createWatchers } from '../subscriptions/watchers.ts';
import { FINALIZED_SLOTS } from './chain-engine.ts';

const NO_PREFLIGHT = { skipPreflight: true };

test('a fork undoes what landed in its slots and nothing before; the same bytes can land again', () => {
  const chain = createSteppedChain();
  const [before, after] = [Keypair.generate(), Keypair.generate()];
  const wire = (to: Keypair) => chain.wireOf([chain.pay(to.publicKey, SOL)]);
  const kept = chain.send(wire(before), NO_PREFLIGHT);
  chain.advance(1);
  const bytes = wire(after);
  const lost = chain.send(bytes, NO_PREFLIGHT);
  chain.advance(1);
  expect(chain.balances(after)).toEqual([SOL, SOL, 0]);
  const blockhash = chain.engine.blockhash('confirmed').bytes;

  chain.engine.controls.forkOut(2);
  expect(chain.balances(after)).toEqual([0, 0, 0]);
  expect(chain.balances(before)).toEqual([SOL, SOL, 0]);
  expect(chain.statusOf(lost)).toBeNull();
  expect(chain.statusOf(kept)).toMatchObject({ err: null });
  expect(chain.call('getSignaturesForAddress', after.publicKey.toBase58())).toEqual([]);
  expect(chain.engine.isBlockhashValid(blockhash, 'processed')).toBe(false);

  expect(chain.send(bytes, NO_PREFLIGHT)).toBe(lost);
  expect(chain.balances(after)).toEqual([SOL, 0, 0]);
});

test('no fork takes what is final', () => {
  const chain = createSteppedChain();
  chain.advance(FINALIZED_SLOTS);
  expect(() => chain.engine.controls.forkOut(FINALIZED_SLOTS + 1)).toThrow('is final');
  chain.engine.controls.forkOut(FINALIZED_SLOTS);
});

test('a subscription to a landing that a fork took is not shown', () => {
  const chain = createSteppedChain();
  const watchers = createWatchers(chain.engine);
  const wire = chain.wireOf([chain.pay(Keypair.generate().publicKey, SOL)]);
  const shown: object[] = [];
  watchers.add({ kind: 'logs', mentions: null, commitment: 'confirmed' }, (one) => shown.push(one));
  chain.send(wire, NO_PREFLIGHT);
  chain.engine.controls.forkOut(1);
  chain.advance(2);
  expect(shown).toEqual([]);
  chain.send(wire, NO_PREFLIGHT);
  chain.advance(1);
  expect(shown).toHaveLength(1);
  watchers.close();
});

test('a dropped send gets its signature and never lands; a later one does', () => {
  const chain = createSteppedChain();
  const payee = Keypair.generate();
  const wire = chain.wireOf([chain.pay(payee.publicKey, SOL)]);
  chain.engine.controls.dropSends(() => true);
  const signature = chain.send(wire);
  chain.advance(FINALIZED_SLOTS);
  expect(chain.statusOf(signature)).toBeNull();
  chain.engine.controls.dropSends(() => false);
  expect(chain.send(wire)).toBe(signature);
  expect(chain.statusOf(signature)).toMatchObject({ err: null });
});

test('a chain without its history knows no status, and still refuses duplicates', () => {
  const chain = createSteppedChain();
  const payee = Keypair.generate();
  const wire = chain.wireOf([chain.pay(payee.publicKey, SOL)]);
  const signature = chain.send(wire);
  chain.engine.controls.forgetHistory();
  expect(chain.statusOf(signature)).toBeNull();
  expect(chain.call('getSignaturesForAddress', payee.publicKey.toBase58())).toEqual([]);
  chain.send(wire, NO_PREFLIGHT);
  expect(chain.balances(payee)).toEqual([SOL, 0, 0]);
});
