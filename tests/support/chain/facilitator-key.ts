import { Keypair, VersionedTransaction } from '@solana/web3.js';
import { z } from 'zod';
import type { LaneFixture } from '../system/lane-fixture.ts';

/** The last step of a facilitator: it adds its fee payer's signature and sends. */
export type FacilitatorKey = {
  readonly address: string;
  /** The whole transaction. */
  complete(wire: Uint8Array): Uint8Array;
  /**
   * Completes, sends and returns the signature. Without preflight a failing transaction lands too.
   */
  settle(wire: Uint8Array, options?: { readonly skipPreflight?: boolean }): Promise<string>;
};

/** A facilitator's key; it has no SOL yet. */
export function createFacilitatorKey(
  { rpc }: Pick<LaneFixture, 'rpc'>,
  keypair = Keypair.generate(),
): FacilitatorKey {
  const complete = (wire: Uint8Array): Uint8Array => {
    const transaction = VersionedTransaction.deserialize(wire);
    transaction.sign([keypair]);
    return transaction.serialize();
  };
  return {
    address: keypair.publicKey.toBase58(),
    complete,
    settle: async (wire, { skipPreflight = false } = {}) => {
      const reply = await rpc.sendRaw(complete(wire), { skipPreflight });
      if (!reply.ok) throw new Error(`${reply.message} ${JSON.stringify(reply.data)}`);
      return z.string().parse(reply.result);
    },
  };
}
