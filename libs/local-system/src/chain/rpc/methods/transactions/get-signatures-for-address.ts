import { z } from 'zod';
import { method } from '../../method.ts';
import { addressParam, bankOf, contextConfig, signatureParam } from '../../params.ts';
import { invalidParams } from '../../rpc-error.ts';
import { confirmationStatus } from '../../json/status-json.ts';

const MAX_LIMIT = 1_000;

const config = contextConfig.extend({
  before: signatureParam.nullish(),
  until: signatureParam.nullish(),
  limit: z.int().min(1).max(MAX_LIMIT, `Invalid limit; max ${MAX_LIMIT}`).nullish(),
});

/** Newest first. A `before` that is not in the history has no landings before it. */
export const getSignaturesForAddress = method(
  z.tuple([addressParam, config.nullish()]),
  (chain, [address, options]) => {
    if (options?.commitment === 'processed') {
      throw invalidParams('Method does not support commitment below `confirmed`');
    }
    const { slot } = bankOf(chain, options);
    const find = (signature: string | null | undefined) =>
      signature ? chain.history.find(signature) : undefined;
    const before = find(options?.before);
    if (options?.before && before === undefined) return [];
    const query = { limit: options?.limit ?? MAX_LIMIT, maxSlot: slot };
    const found = chain.history.ofAddress(address, {
      ...query,
      before,
      until: find(options?.until),
    });
    return found.map((landed) => ({
      signature: landed.signature,
      slot: landed.slot,
      err: landed.err,
      memo: landed.memo,
      blockTime: landed.blockTime,
      confirmationStatus: confirmationStatus(chain, landed.slot),
    }));
  },
);
