import { randomBytes } from 'node:crypto';
import type { OwnerSigner } from '@agent-wallet/sdk/owner';
import { ed25519 } from '@noble/curves/ed25519.js';
import bs58 from 'bs58';
import type { Orders } from './orders.ts';

const SIGNATURE_START = 1;
const MESSAGE_START = 65;

/** A wallet for a page: by default it has two accounts, offers the first and signs everything. */
export type TestWallet = {
  readonly orders: Orders;
  /** Base58 addresses of its accounts. */
  readonly addresses: readonly string[];
  /** Signs with its first account, in this process and not in the page. */
  readonly signer: OwnerSigner;
};

export function createTestWallet(orders: Partial<Orders> = {}): TestWallet {
  const keys = [randomBytes(32), randomBytes(32)];
  const [key = randomBytes(32)] = keys;
  const addresses = keys.map((secret) => bs58.encode(ed25519.getPublicKey(secret)));
  const seeds = keys.map((secret) => bs58.encode(secret));
  return {
    orders: { seeds, selected: 0, signing: 'approves', connecting: 'approves', ...orders },
    addresses,
    signer: {
      address: addresses[0] ?? '',
      signMessage: async (message) => ed25519.sign(message, key),
      signTransaction: async (transaction) => {
        const signed = Uint8Array.from(transaction);
        signed.set(ed25519.sign(signed.subarray(MESSAGE_START), key), SIGNATURE_START);
        return signed;
      },
    },
  };
}
