/** Clocks on walls, told by the platform's own calendar. */

export type WallClock = { readonly minute: number; readonly dayBit: number };

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Minute of the day and the day's bit (Monday is 1) in a timezone. */
export function wallClock(timezone: string, at = new Date()): WallClock {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return {
    minute: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
    dayBit: 2 ** DAYS.indexOf(parts.get('weekday') ?? ''),
  };
}

/** A zone without daylight saving where it is between 11 and 13 o'clock: far from midnight. */
export function zoneAtNoon(): string {
  const offset = 12 - new Date().getUTCHours();
  // The sign in these names is the other way round.
  return offset === 0 ? 'Etc/GMT' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
}

/** Whether a zone's clock is put forward now. */
export function isSummerTime(timezone: string): boolean {
  const year = new Date().getUTCFullYear();
  const offsetAt = (at: Date): number => {
    const utc = at.getUTCHours() * 60 + at.getUTCMinutes();
    return (wallClock(timezone, at).minute - utc + 1_440) % 1_440;
  };
  const [winter, summer] = [new Date(Date.UTC(year, 0, 1)), new Date(Date.UTC(year, 6, 1))];
  return offsetAt(new Date()) === Math.max(offsetAt(winter), offsetAt(summer));
}

/** Runs `check` within one minute of the clock: again if the minute has turned meanwhile. */
export async function withinOneMinute<T>(check: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 3; tries += 1) {
    const before = Math.floor(Date.now() / 60_000);
    const result = await check();
    if (Math.floor(Date.now() / 60_000) === before) return result;
  }
  throw new Error('the check took longer than a minute');
}
