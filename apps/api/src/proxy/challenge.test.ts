import { Keypair } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';

import { parseChallenge } from './challenge.ts';
import { networkIdOf } from './payment-networks.ts';
import type { Wanted } from './offer.ts';

const MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const PAYEE = Keypair.generate().publicKey.toBase58();
const FEE_PAYER = Keypair.generate().publicKey.toBase58();
const DEVNET = networkIdOf('devnet');

const wanted: Wanted = {
  proof: 'x402',
  network: DEVNET,
  asset: MINT,
  payTo: PAYEE,
  maxAmount: 1_000_000n,
};
const offer = {
  scheme: 'exact',
  network: DEVNET,
  amount: '10000',
  asset: MINT,
  payTo: PAYEE,
  maxTimeoutSeconds: 60,
  extra: { feePayer: FEE_PAYER },
};
const version2 = { x402Version: 2, resource: { url: 'https://a.example/' }, accepts: [offer] };

const headerOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const bodyOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const nothing = Buffer.alloc(0);

describe('a challenge', () => {
  it('is read from the header of version 2', () => {
    const found = parseChallenge({ 'payment-required': headerOf(version2) }, nothing, wanted);
    expect(found).toEqual({
      kind: 'offer',
      dialect: 'v2-header',
      version: 2,
      resource: '{"url":"https://a.example/"}',
      offer: {
        amount: 10_000n,
        payTo: PAYEE,
        asset: MINT,
        network: DEVNET,
        feePayer: FEE_PAYER,
        memo: null,
        smartWalletSupported: null,
        verbatim: JSON.stringify(offer),
      },
    });
  });

  it('is read from a body where there is no header', () => {
    const found = parseChallenge({}, bodyOf(version2), wanted);
    expect(found).toMatchObject({ kind: 'offer', dialect: 'v2-body', offer: { amount: 10_000n } });
  });
});
