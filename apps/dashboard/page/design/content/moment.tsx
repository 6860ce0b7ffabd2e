import { exactTime } from './time.tsx';

const SHORT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** The moment of a row (ISO 8601) on the clock of the reader: `23 Nov, 14:05`. */
export const Moment = ({ at }: { readonly at: string }) => {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={exactTime(date)}>
      {SHORT.format(date)}
    </time>
  );
};
