import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  type Transaction,
  TransactionInstruction,
} from '@solana/web3.js';
import { beforeEach, expect, test } from 'vitest';
import { createSteppedChain, SOL, type SteppedChain } from '../../../../fixtures/stepped-chain.ts';

let chain: SteppedChain;

beforeEach(() => {
  chain = createSteppedChain();
});

const second = Keypair.generate();
const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 50_001 });
const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 33 });
const memo = new TransactionInstruction({
  programId: new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
  keys: [],
  data: Buffer.from('memo'),
});
/** Costs its fee alone. */
const toSelf = (key: Keypair) => chain.pay(key.publicKey, 1, key);

test.each<[string, () => Transaction]>([
  ['one signature', () => chain.transactionOf([toSelf(chain.payer)])],
  [
    'two signatures',
    () => chain.transactionOf([toSelf(second)], { signers: [chain.payer, second] }),
  ],
  ['a price and a limit', () => chain.transactionOf([limit, price, toSelf(chain.payer)])],
  ['a price alone', () => chain.transactionOf([price, toSelf(chain.payer), toSelf(chain.payer)])],
  ['a price for a program that is not built in', () => chain.transactionOf([price, memo])],
])('the fee of %s is foretold, taken and recorded', (_, make) => {
  chain.fund(second, SOL);
  const transaction = make();
  const message = transaction.compileMessage().serialize().toString('base64');
  const fee = chain.valueOf('getFeeForMessage', message);
  const signature = chain.send(transaction.serialize());
  chain.advance(1);
  const options = { commitment: 'confirmed', encoding: 'json' };
  expect(chain.call('getTransaction', signature, options)).toMatchObject({
    meta: { err: null, fee },
  });
  expect(chain.balance(chain.payer, 'processed')).toBe(10 * SOL - Number(fee));
});

test('recent fees are the least price of a slot, or of the accounts where that is higher', () => {
  const target = Keypair.generate().publicKey;
  const priced = (microLamports: number, to: PublicKey, from: Keypair) => {
    chain.fund(from, SOL * 2);
    const set = ComputeBudgetProgram.setComputeUnitPrice({ microLamports });
    chain.send(chain.wireOf([set, chain.pay(to, SOL, from)], { from }));
  };
  chain.advance(1);
  priced(100, target, Keypair.generate());
  priced(7, Keypair.generate().publicKey, Keypair.generate());
  chain.advance(1);
  const read = (...addresses: readonly PublicKey[]) => {
    const fees = chain.call(
      'getRecentPrioritizationFees',
      addresses.map((address) => address.toBase58()),
    );
    return Array.isArray(fees) ? fees.slice(-3).map((fee) => fee.prioritizationFee) : null;
  };
  expect(read()).toEqual([0, 7, 0]);
  expect(read(target)).toEqual([0, 100, 0]);
});
