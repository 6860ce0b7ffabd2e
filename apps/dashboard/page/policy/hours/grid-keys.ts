import { DAYS, HOURS, type WeekHour } from './week-hours.ts';

/** The hour that a key leads to from another one; null for a key that moves nothing. */
export function hourAfterKey(from: WeekHour, key: string): WeekHour | null {
  const { day, hour } = from;
  switch (key) {
    case 'ArrowLeft':
      return { day, hour: Math.max(hour - 1, 0) };
    case 'ArrowRight':
      return { day, hour: Math.min(hour + 1, HOURS - 1) };
    case 'ArrowUp':
      return { day: Math.max(day - 1, 0), hour };
    case 'ArrowDown':
      return { day: Math.min(day + 1, DAYS.length - 1), hour };
    case 'Home':
      return { day, hour: 0 };
    case 'End':
      return { day, hour: HOURS - 1 };
    case 'PageUp':
      return { day: 0, hour };
    case 'PageDown':
      return { day: DAYS.length - 1, hour };
    default:
      return null;
  }
}

/** Whether an hour lies in the block between two others. */
export function isBetween({ day, hour }: WeekHour, one: WeekHour, other: WeekHour): boolean {
  return (
    day >= Math.min(one.day, other.day) &&
    day <= Math.max(one.day, other.day) &&
    hour >= Math.min(one.hour, other.hour) &&
    hour <= Math.max(one.hour, other.hour)
  );
}
