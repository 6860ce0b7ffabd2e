import type { AccountSnapshot, AccountsAtSlot } from '@agent-wallet/chain';
import { expect, it } from 'vitest';
import { createAccountsReader } from './accounts-reader.ts';

const account = (address: string): AccountSnapshot => ({
  address,
  owner: 'x',
  lamports: 1n,
  data: new Uint8Array(),
});

/** A chain that holds every address but those that begin with `no`. */
function createChain() {
  const calls: (readonly string[])[] = [];
  const read = async (addresses: readonly string[]): Promise<AccountsAtSlot> => {
    calls.push(addresses);
    const accounts = addresses.map((text) => (text.startsWith('no') ? null : account(text)));
    return { slot: BigInt(calls.length), accounts };
  };
  return { calls, read };
}

it('puts reads that come together into one call, each address once', async () => {
  const { calls, read } = createChain();
  const reader = createAccountsReader(read, 5);
  const answers = await Promise.all([reader(['a', 'b']), reader(['b', 'no']), reader(['a'])]);
  expect(calls).toEqual([['a', 'b', 'no']]);
  const found = answers.map(({ accounts }) => accounts.map((one) => one?.address ?? null));
  expect(found).toEqual([['a', 'b'], ['b', null], ['a']]);
});

it('never answers from a call that began before the question', async () => {
  const { calls, read } = createChain();
  const reader = createAccountsReader(read, 1);
  expect((await reader(['a'])).slot).toBe(1n);
  expect((await reader(['a'])).slot).toBe(2n);
  expect(calls).toHaveLength(2);
});

it('keeps the addresses of one caller together and a call at a hundred addresses', async () => {
  const { calls, read } = createChain();
  const reader = createAccountsReader(read, 1);
  const requests = Array.from({ length: 40 }, (_, i) => [`${i}a`, `${i}b`, `${i}c`]);
  await Promise.all(requests.map((request) => reader(request)));
  expect(calls.map((addresses) => addresses.length)).toEqual([99, 21]);
});

it('gives a fault of the call to everybody who waited for it', async () => {
  const fault = new Error('away');
  const reader = createAccountsReader(() => Promise.reject(fault), 1);
  const results = await Promise.allSettled([reader(['a']), reader(['b'])]);
  expect(results.map((result) => result.status === 'rejected' && result.reason)).toEqual([
    fault,
    fault,
  ]);
});
