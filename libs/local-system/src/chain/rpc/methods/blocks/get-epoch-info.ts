import { z } from 'zod';
import { SLOTS_PER_EPOCH } from '../../../engine/svm.ts';
import { method } from '../../method.ts';
import { bankOf, contextConfig } from '../../params.ts';

export const getEpochInfo = method(z.tuple([contextConfig.nullish()]), (chain, [config]) => {
  const { commitment, slot } = bankOf(chain, config);
  return {
    absoluteSlot: slot,
    blockHeight: chain.height(commitment),
    epoch: Math.floor(slot / SLOTS_PER_EPOCH),
    slotIndex: slot % SLOTS_PER_EPOCH,
    slotsInEpoch: SLOTS_PER_EPOCH,
    transactionCount: chain.transactionCount(),
  };
});
