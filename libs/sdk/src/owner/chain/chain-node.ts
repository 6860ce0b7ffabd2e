import { z } from 'zod';
import type { Clock, TimeLimit } from '../../http/time-limit.ts';
import { TOKEN_PROGRAM } from '../transaction/addresses.ts';
import { fromBase64 } from './base64.ts';
import type { RpcNode } from './rpc-node.ts';
import { type SendOptions, sendAndConfirm, type SignedTransaction } from './send-and-confirm.ts';

/** What the client of an owner does with the RPC node that the owner has named. */
export type ChainNode = {
  /** Returns the signature once it is confirmed; see `sendAndConfirm`. */
  sendAndConfirm(signed: SignedTransaction, options: SendOptions): Promise<string>;
  /** The index of the next session of a vault, at `confirmed`; null where it cannot be read. */
  nextSessionIndex(vault: string, limit: TimeLimit): Promise<bigint | null>;
  /**
   * Whether there is a token account at each of at most 100 addresses, at `confirmed`; null where
   * the node does not say.
   */
  hasTokenAccounts(
    addresses: readonly string[],
    limit: TimeLimit,
  ): Promise<readonly boolean[] | null>;
};

/** In the vault's account, by the IDL: discriminator, version, flags, then `deployed_amount`. */
const NEXT_INDEX_AT = 24;
const U64_BYTES = 8;

const account = z.object({
  value: z.looseObject({ data: z.tuple([z.base64(), z.literal('base64')]) }),
});

const owners = z.object({ value: z.array(z.looseObject({ owner: z.string() }).nullable()) });

/** Sends nothing by itself. */
export function createChainNode(node: RpcNode, clock: Clock): ChainNode {
  return {
    sendAndConfirm: (signed, options) => sendAndConfirm(signed, { node, clock }, options),
    nextSessionIndex: async (vault, limit) => {
      const options = { encoding: 'base64', commitment: 'confirmed' };
      const answer = await node.call('getAccountInfo', [vault, options], limit);
      const found = account.safeParse(answer?.result).data;
      const bytes = fromBase64(found?.value.data[0] ?? '');
      if (bytes.length < NEXT_INDEX_AT + U64_BYTES) return null;
      return new DataView(bytes.buffer).getBigUint64(NEXT_INDEX_AT, true);
    },
    hasTokenAccounts: async (addresses, limit) => {
      // No data: the owner of an account says what it is.
      const slice = { encoding: 'base64', dataSlice: { offset: 0, length: 0 } };
      const options = { ...slice, commitment: 'confirmed' };
      const answer = await node.call('getMultipleAccounts', [addresses, options], limit);
      const found = owners.safeParse(answer?.result).data?.value;
      if (found?.length !== addresses.length) return null;
      return found.map((one) => one?.owner === TOKEN_PROGRAM);
    },
  };
}
