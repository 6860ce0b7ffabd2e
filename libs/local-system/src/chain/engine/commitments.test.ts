import { Keypair } from '@solana/web3.js';
import { beforeEach, expect, test } from 'vitest';
import {
  createSteppedChain,
  LEVELS,
  SOL,
  type SteppedChain,
} from '../../../fixtures/stepped-chain.ts';
import { FINALIZED_SLOTS } from './chain-engine.ts';

let chain: SteppedChain;

beforeEach(() => {
  chain = createSteppedChain();
});

test('a payment is confirmed after one slot and final after 32, as are its accounts', () => {
  const to = Keypair.generate();
  const signature = chain.send(chain.wireOf([chain.pay(to.publicKey, SOL)]));
  expect(chain.balances(to)).toEqual([SOL, 0, 0]);
  expect(chain.statusOf(signature)).toMatchObject({ confirmationStatus: 'processed', err: null });
  chain.advance(1);
  expect(chain.balances(to)).toEqual([SOL, SOL, 0]);
  expect(chain.statusOf(signature)).toMatchObject({ confirmationStatus: 'confirmed' });
  chain.advance(FINALIZED_SLOTS - 2);
  expect(chain.balances(to)).toEqual([SOL, SOL, 0]);
  chain.advance(1);
  expect(chain.balances(to)).toEqual([SOL, SOL, SOL]);
  expect(chain.statusOf(signature)).toMatchObject({
    confirmationStatus: 'finalized',
    confirmations: null,
  });
});

test('each state of an account that changes in several slots is shown in its turn', () => {
  const to = Keypair.generate();
  for (let slot = 0; slot < 3; slot += 1) {
    for (const part of [1, 2])
      chain.send(chain.wireOf([chain.pay(to.publicKey, SOL * part + slot)]));
    chain.advance(1);
  }
  const seen: unknown[] = [];
  for (let slot = 0; slot < FINALIZED_SLOTS; slot += 1) {
    seen.push(chain.balance(to, 'finalized'));
    chain.advance(1);
  }
  expect([...new Set(seen)]).toEqual([0, 3 * SOL, 6 * SOL + 2, 9 * SOL + 6]);
});

test('a closed account is gone at each commitment in its turn', () => {
  const from = Keypair.generate();
  chain.fund(from, SOL);
  chain.advance(1);
  chain.send(
    chain.wireOf([chain.pay(chain.payer.publicKey, SOL, from)], { signers: [chain.payer, from] }),
  );
  const read = () =>
    LEVELS.map((commitment) =>
      chain.valueOf('getAccountInfo', from.publicKey.toBase58(), {
        commitment,
        encoding: 'base64',
      }),
    );
  expect(read()).toEqual([null, expect.anything(), expect.anything()]);
  chain.advance(FINALIZED_SLOTS);
  expect(read()).toEqual([null, null, null]);
});

test('a read that asks for a newer state than there is gets the slot of the state', () => {
  const slot = chain.engine.slot('confirmed');
  const { code, data } = chain.errorOf('getBalance', chain.payer.publicKey.toBase58(), {
    commitment: 'confirmed',
    minContextSlot: slot + 1,
  });
  expect({ code, data }).toEqual({ code: -32_016, data: { contextSlot: slot } });
});
