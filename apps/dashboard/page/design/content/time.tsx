const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** Date and time of day in the zone of the browser. */
export const exactTime = (at: Date): string => EXACT.format(at);

/** How long ago, or how soon, in the largest unit that fits. */
function relativeTime(at: Date, now: Date = new Date()): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1_000);
  const size = Math.abs(seconds);
  if (size < MINUTE_S) return seconds < 0 ? 'just now' : 'in less than a minute';
  if (size < HOUR_S) return RELATIVE.format(Math.round(seconds / MINUTE_S), 'minute');
  if (size < DAY_S) return RELATIVE.format(Math.round(seconds / HOUR_S), 'hour');
  return RELATIVE.format(Math.round(seconds / DAY_S), 'day');
}

/** A time relative to now; its title is the exact one. */
export const Time = ({ at }: { readonly at: Date }) => (
  <time dateTime={at.toISOString()} title={exactTime(at)}>
    {relativeTime(at)}
  </time>
);
