/** A time in words on the clock of a zone: `Mon 23 Nov, 09:00–17:00`. Unix milliseconds. */
export function spanText(
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number | null },
  timeZone: string,
): string {
  const day = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
  });
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const dayOf = (ms: number): string => day.format(ms).replace(',', '');
  const from = `${dayOf(fromMs)}, ${clock.format(fromMs)}`;
  if (toMs === null) return from;
  const until = clock.format(toMs);
  // The first moment after a day is its own 24:00.
  if (dayOf(toMs - 1) === dayOf(fromMs)) return `${from}–${until === '00:00' ? '24:00' : until}`;
  return `${from} – ${dayOf(toMs)}, ${until}`;
}

/** A zone as people read it: `America/New York`. */
export const zoneName = (timezone: string): string => timezone.replaceAll('_', ' ');
