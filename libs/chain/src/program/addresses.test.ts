import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Keypair, PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';

import { createAddresses, isOnCurve, parseAddress } from './addresses.ts';

const programId = 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm';
const usdcMint = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const addresses = createAddresses({ programId, usdcMint });
const somebody = Keypair.fromSeed(new Uint8Array(32).fill(7)).publicKey;

describe('an address', () => {
  it.each([
    ['a key', somebody.toBase58(), true],
    ['32 zero bytes', '1'.repeat(32), true],
    ['a byte too many', '1'.repeat(33), false],
    ['a byte too few', '1'.repeat(31), false],
    ['44 characters above 32 bytes', 'z'.repeat(44), false],
    ['a character outside base58', `0${somebody.toBase58().slice(1)}`, false],
    ['a space at the end', `${somebody.toBase58()} `, false],
    ['a very long text', '1'.repeat(100_000), false],
    ['nothing', '', false],
  ])('is parsed: %s', (_case, text, expected) => {
    expect(parseAddress(text) !== null).toBe(expected);
  });

  it('is on the curve or not', () => {
    expect(isOnCurve(somebody.toBase58())).toBe(true);
    expect(isOnCurve(addresses.vaultPda(somebody.toBase58()))).toBe(false);
    expect(isOnCurve('nonsense')).toBe(false);
  });
});

describe('derived addresses', () => {
  it('match the token library, for owners on and off the curve, on each call', () => {
    const vault = addresses.vaultPda(somebody.toBase58());
    for (const owner of [somebody.toBase58(), vault, vault, somebody.toBase58()]) {
      const mint = new PublicKey(usdcMint);
      const expected = getAssociatedTokenAddressSync(mint, new PublicKey(owner), true).toBase58();
      expect(addresses.usdcAta(owner)).toBe(expected);
    }
  });

  it('of sessions depend on vault and key', () => {
    const [a, b] = [addresses.vaultPda(somebody.toBase58()), somebody.toBase58()];
    const derived = new Set([
      addresses.sessionPda(a, b),
      addresses.sessionPda(b, a),
      addresses.sessionPda(a, a),
      addresses.sessionPda(a, b),
    ]);
    expect(derived.size).toBe(3);
  });

  it('require valid addresses', () => {
    expect(() => addresses.usdcAta('nonsense')).toThrow('Invalid public key');
  });
});
