import { describe, expect, it } from 'vitest';

import { createPauses } from './pauses.ts';

const UNSAID = { retryAfterMs: null, isOfMethod: false };

function pausesAt(random: number) {
  const clock = { nowMs: 0 };
  const told: boolean[] = [];
  const pauses = createPauses({
    nowMs: () => clock.nowMs,
    random: () => random,
    onChange: () => void told.push(pauses.areAny()),
  });
  return { clock, told, pauses };
}

describe('the pauses of an endpoint', () => {
  it('grow with each refusal that comes after the pause before, up to 30 s', () => {
    const { clock, pauses } = pausesAt(1);
    const lengths = Array.from({ length: 7 }, () => {
      pauses.refused('getSlot', UNSAID);
      const leftMs = pauses.leftMs('getSlot');
      clock.nowMs += leftMs;
      return leftMs;
    });
    expect(lengths).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('count calls once that were refused together', () => {
    const { clock, pauses } = pausesAt(1);
    for (let call = 0; call < 64; call += 1) pauses.refused('getSlot', UNSAID);
    expect(pauses.leftMs('getSlot')).toBe(1_000);
    clock.nowMs = 1_000;
    pauses.refused('getSlot', UNSAID);
    expect(pauses.leftMs('getSlot')).toBe(2_000);
  });

  it('differ between processes', () => {
    const [shortest, longest] = [0, 1].map((random) => {
      const { pauses } = pausesAt(random);
      pauses.refused('getSlot', UNSAID);
      return pauses.leftMs('getSlot');
    });
    expect([shortest, longest]).toEqual([500, 1_000]);
  });

  it('last as long as the endpoint says, and concern the method that it says', () => {
    const { pauses } = pausesAt(0);
    pauses.refused('getSlot', { retryAfterMs: 7_000, isOfMethod: true });
    expect([pauses.leftMs('getSlot'), pauses.leftMs('getTransaction')]).toEqual([7_000, 0]);
  });

  it('grow also when the endpoint keeps saying that it takes calls at once', () => {
    const { clock, pauses } = pausesAt(0);
    const lengths = Array.from({ length: 3 }, () => {
      pauses.refused('getSlot', { retryAfterMs: 0, isOfMethod: false });
      const leftMs = pauses.leftMs('getSlot');
      clock.nowMs += leftMs;
      return leftMs;
    });
    expect(lengths).toEqual([100, 200, 400]);
  });

  it('are over with their time, also where no call of the method follows', () => {
    const { clock, told, pauses } = pausesAt(0);
    pauses.refused('getTransaction', { retryAfterMs: 7_000, isOfMethod: true });
    clock.nowMs = 7_000;
    expect(pauses.areAny()).toBe(false);
    pauses.answered('getSlot');
    expect(told).toEqual([true, false]);
  });

  it('grow no more after an answer that follows the pause, not after one to an earlier call', () => {
    const { clock, told, pauses } = pausesAt(1);
    pauses.refused('getSlot', UNSAID);
    pauses.answered('getSlot');
    clock.nowMs = 1_000;
    pauses.refused('getSlot', UNSAID);
    expect(pauses.leftMs('getSlot')).toBe(2_000);
    clock.nowMs = 3_000;
    pauses.answered('getSlot');
    pauses.refused('getSlot', UNSAID);
    expect(pauses.leftMs('getSlot')).toBe(1_000);
    expect(told).toEqual([true, false, true]);
  });
});
