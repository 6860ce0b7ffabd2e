const HOUR = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** Unix seconds as a moment of these days, on the reader's clock: `Mon 14:00`. */
export const hourText = (seconds: number): string => HOUR.format(seconds * 1_000).replace(',', '');
