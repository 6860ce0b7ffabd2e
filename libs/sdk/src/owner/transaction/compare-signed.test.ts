/** What wallets return for a transaction, with each part changed. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { ComputeBudgetProgram, PublicKey, SystemProgram } from '@solana/web3.js';
import { expect, it } from 'vitest';
import { changed, compiled, SIGNED_BYTES } from '../../../fixtures/changed-transaction.ts';
import { built } from '../../../fixtures/owner-kinds.ts';
import { newSigner } from '../../../fixtures/scripted-owner.ts';
import { fromBase64 } from '../chain/base64.ts';
import { compareSigned } from './compare-signed.ts';

const signer = newSigner();
const owner = signer.address;
const payer = new PublicKey(owner);
const tx = await built(Date.now()).setPaused(owner, true);
const given = { unsigned: fromBase64(tx), owner };

const check = async (returned: string) =>
  compareSigned(await signer.signTransaction(fromBase64(returned)), given);

const price = (microLamports: number) =>
  ComputeBudgetProgram.setComputeUnitPrice({ microLamports });
const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 200_000 });

it.each([
  ['as it was given', tx],
  ['with a newer blockhash', changed(tx, () => {})],
  ['with a compute budget', compiled(tx, (own) => [limit, price(50_000), ...own])],
  ['with a compute budget at its end', compiled(tx, (own) => [...own, price(1)])],
])('takes a transaction %s', async (_, returned) => {
  await expect(check(returned)).resolves.toMatchObject({ signature: expect.any(String) });
});

const transfer = SystemProgram.transfer({ fromPubkey: payer, toPubkey: payer, lamports: 1 });

it.each([
  ['with a further instruction', compiled(tx, (own) => [...own, transfer])],
  ['without its instruction', compiled(tx, () => [])],
  ['twice', compiled(tx, (own) => [...own, ...own])],
  [
    'with other data',
    changed(tx, ({ instructions }) => {
      const data = instructions[0]?.data;
      if (data !== undefined) data[8] = 0;
    }),
  ],
  [
    'with an account that is writable now',
    changed(tx, ({ header }) => void (header.numReadonlyUnsignedAccounts -= 1)),
  ],
  ['with a price that hurts', compiled(tx, (own) => [limit, price(100_000_000_000), ...own])],
  [
    'with a larger heap',
    compiled(tx, (own) => [ComputeBudgetProgram.requestHeapFrame({ bytes: 65_536 }), ...own]),
  ],
])('refuses a transaction %s', async (_, returned) => {
  await expect(check(returned)).rejects.toMatchObject({ code: 'SIGNED_MISMATCH' });
});

it('refuses the signature of another account, none, and one of other bytes', async () => {
  const other = await newSigner().signTransaction(given.unsigned);
  const signed = await signer.signTransaction(given.unsigned);
  const broken = Uint8Array.from(signed);
  broken[1] = (broken[1] ?? 0) ^ 1;
  for (const one of [other, given.unsigned, broken, signed.slice(1)]) {
    expect(() => compareSigned(one, given)).toThrow(
      expect.objectContaining({ code: 'SIGNED_MISMATCH' }),
    );
  }
  expect(
    ed25519.verify(signed.slice(1, SIGNED_BYTES), signed.slice(SIGNED_BYTES), payer.toBytes()),
  ).toBe(true);
});
