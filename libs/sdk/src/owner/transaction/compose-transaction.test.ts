import { Keypair } from '@solana/web3.js';
import { expect, it } from 'vitest';
import { partsOf } from '../../../fixtures/changed-transaction.ts';
import { expected, kinds, NOW, owner } from '../../../fixtures/owner-kinds.ts';
import { fromBase64, toBase64 } from '../chain/base64.ts';
import { composeTransaction } from './compose-transaction.ts';

const blockhash = Keypair.generate().publicKey.toBase58();
const sorted = ({ header, keys }: ReturnType<typeof partsOf>) => ({
  header,
  writable: keys.slice(0, keys.length - header.numReadonlyUnsignedAccounts).toSorted(),
  readonly: keys.slice(keys.length - header.numReadonlyUnsignedAccounts).toSorted(),
});

it.each(kinds.filter(({ composed }) => composed !== undefined))(
  'a transaction to $name is the one that the API builds',
  async ({ build, check, composed }) => {
    const wire = composeTransaction(composed ?? [], { owner, blockhash, deadline: NOW + 600n });
    const text = toBase64(wire);
    const tx = await build();
    expect((await check(text)).instructions).toEqual((await check(tx)).instructions);
    // The order of the accounts is free within their rights.
    expect(sorted(partsOf(text))).toEqual(sorted(partsOf(tx)));
    expect(wire.length).toBe(fromBase64(tx).length);
  },
);

it('does not guess an argument', () => {
  const unknown = expected.revokeSession({ pda: owner, index: null });
  const given = { owner, blockhash, deadline: 0n };
  expect(() => composeTransaction(unknown, given)).toThrow('session_index has no value');
});
