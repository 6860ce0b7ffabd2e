import { z } from 'zod';
import { REMEMBERED_SLOTS } from '../../../engine/slots/recent-fees.ts';
import { method } from '../../method.ts';
import { addressParam } from '../../params.ts';
import { u64 } from '../../json/u64.ts';

const MAX_ACCOUNTS = 128;

export const getRecentPrioritizationFees = method(
  z.tuple([
    z
      .array(addressParam)
      .max(MAX_ACCOUNTS, `Too many inputs provided; max ${MAX_ACCOUNTS}`)
      .nullish(),
  ]),
  (chain, [writable]) => {
    const paid = new Map(
      chain.recentFees(writable ?? []).map(({ slot, price }) => [slot, u64(price)]),
    );
    const newest = chain.slot('processed');
    const oldest = Math.max(0, newest - REMEMBERED_SLOTS + 1);
    return Array.from({ length: newest - oldest + 1 }, (_, index) => {
      const slot = oldest + index;
      return { slot, prioritizationFee: paid.get(slot) ?? 0 };
    });
  },
);
