import { expect, it } from 'vitest';
import { hourAfterKey, isBetween } from './grid-keys.ts';

it.each([
  ['ArrowLeft', 3, 8],
  ['ArrowRight', 3, 10],
  ['ArrowUp', 2, 9],
  ['ArrowDown', 4, 9],
  ['Home', 3, 0],
  ['End', 3, 23],
  ['PageUp', 0, 9],
  ['PageDown', 6, 9],
])('%s leads to day %d, hour %d', (key, day, hour) => {
  expect(hourAfterKey({ day: 3, hour: 9 }, key)).toEqual({ day, hour });
});

it('stops at the edges, and leaves other keys alone', () => {
  expect(hourAfterKey({ day: 0, hour: 0 }, 'ArrowUp')).toEqual({ day: 0, hour: 0 });
  expect(hourAfterKey({ day: 0, hour: 0 }, 'ArrowLeft')).toEqual({ day: 0, hour: 0 });
  expect(hourAfterKey({ day: 6, hour: 23 }, 'ArrowDown')).toEqual({ day: 6, hour: 23 });
  expect(hourAfterKey({ day: 6, hour: 23 }, 'ArrowRight')).toEqual({ day: 6, hour: 23 });
  expect(hourAfterKey({ day: 6, hour: 23 }, 'Tab')).toBeNull();
});

it('knows the hours of a block, however it was drawn', () => {
  const [one, other] = [
    { day: 3, hour: 9 },
    { day: 1, hour: 16 },
  ];
  expect(isBetween({ day: 2, hour: 12 }, one, other)).toBe(true);
  expect(isBetween({ day: 2, hour: 12 }, other, one)).toBe(true);
  expect(isBetween({ day: 0, hour: 12 }, one, other)).toBe(false);
  expect(isBetween({ day: 2, hour: 17 }, one, other)).toBe(false);
});
