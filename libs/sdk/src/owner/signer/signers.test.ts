import { ed25519 } from '@noble/curves/ed25519.js';
import { Keypair } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { keypairSigner } from './keypair-signer.ts';
import { walletStandardSigner } from './wallet-standard-signer.ts';

const text = new TextEncoder().encode('text');
const keypair = Keypair.generate();

describe('a keypair', () => {
  it.each([64, 32])('of %i bytes signs texts and transactions with its key', async (length) => {
    const signer = keypairSigner(keypair.secretKey.subarray(0, length));
    expect(signer.address).toBe(keypair.publicKey.toBase58());
    const key = keypair.publicKey.toBytes();
    expect(ed25519.verify(await signer.signMessage(text), text, key)).toBe(true);
    const transaction = Uint8Array.from([1, ...new Uint8Array(64), ...text]);
    const signed = await signer.signTransaction(transaction);
    expect(ed25519.verify(signed.subarray(1, 65), signed.subarray(65), key)).toBe(true);
    expect(transaction.subarray(1, 65)).toEqual(new Uint8Array(64));
  });

  it('is refused with a public half of another key, or another length', () => {
    const { secretKey } = Keypair.generate();
    const mixed = Uint8Array.from([
      ...keypair.secretKey.subarray(0, 32),
      ...secretKey.subarray(32),
    ]);
    for (const bytes of [mixed, text]) {
      expect(() => keypairSigner(bytes)).toThrow(/secretKey (has a public half|must have 64)/);
    }
  });
});

describe('a browser wallet', () => {
  const account = { address: keypair.publicKey.toBase58(), label: 'kept as it is' };
  const signer = keypairSigner(keypair.secretKey);
  const wallet = {
    name: 'Wallet',
    features: {
      'solana:signMessage': {
        version: '1.1.0',
        signMessage: async (input: { message: Uint8Array; account: unknown }) => [
          { signedMessage: input.message, signature: await signer.signMessage(input.message) },
        ],
      },
      'solana:signTransaction': {
        calls: [] as unknown[],
        async signTransaction(input: { transaction: Uint8Array }) {
          this.calls.push(input);
          return [{ signedTransaction: await signer.signTransaction(input.transaction) }];
        },
      },
    },
  };

  it('signs by its features, for its account and chain', async () => {
    const standard = walletStandardSigner(wallet, account, { chain: 'solana:devnet' });
    expect(standard.address).toBe(account.address);
    expect(await standard.signMessage(text)).toEqual(await signer.signMessage(text));
    const transaction = Uint8Array.from([1, ...new Uint8Array(64), ...text]);
    const signed = await standard.signTransaction(transaction);
    expect(signed).toEqual(await signer.signTransaction(transaction));
    expect(wallet.features['solana:signTransaction'].calls).toEqual([
      { account, transaction, chain: 'solana:devnet' },
    ]);
  });

  it('is refused without a feature, and its reply without a signature', async () => {
    const { 'solana:signMessage': _none, ...features } = wallet.features;
    expect(() => walletStandardSigner({ name: 'Other', features }, account)).toThrow(
      'Other does not have solana:signMessage',
    );
    const empty = { ...wallet.features, 'solana:signMessage': { signMessage: async () => [] } };
    const broken = walletStandardSigner({ name: 'Broken', features: empty }, account);
    await expect(broken.signMessage(text)).rejects.toThrow('Broken returned no signature');
  });
});
