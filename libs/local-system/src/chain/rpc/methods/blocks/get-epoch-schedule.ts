import { z } from 'zod';
import { SLOTS_PER_EPOCH } from '../../../engine/svm.ts';
import { method } from '../../method.ts';

export const getEpochSchedule = method(z.tuple([]), () => ({
  firstNormalEpoch: 0,
  firstNormalSlot: 0,
  leaderScheduleSlotOffset: SLOTS_PER_EPOCH,
  slotsPerEpoch: SLOTS_PER_EPOCH,
  warmup: false,
}));
