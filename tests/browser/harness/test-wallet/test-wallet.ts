import { randomBytes } from 'node:crypto';
import { keypairSigner, type OwnerSigner } from '@agent-wallet/sdk/owner';
import { ed25519 } from '@noble/curves/ed25519.js';
import bs58 from 'bs58';
import type { Orders } from './orders.ts';

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
    signer: keypairSigner(key),
  };
}
