const FORM: Intl.DateTimeFormatOptions = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
};

/** Unix seconds as people read them, with the zone: `24 Nov 2026, 14:00 UTC`. */
export function momentText(seconds: number, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone };
  return new Intl.DateTimeFormat('en-GB', { ...FORM, ...zone }).format(seconds * 1_000);
}
