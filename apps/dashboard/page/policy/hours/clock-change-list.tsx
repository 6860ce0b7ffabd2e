import type { TimeWindow } from '@agent-wallet/policy';
import { useMemo } from 'preact/hooks';
import { type ClockChange, clockChanges } from './clock-changes.ts';
import { zoneName } from './span-text.ts';

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' });

/** What the window does on the days of the next year on which the zone changes its clock. */
export const ClockChangeList = ({ window }: { readonly window: TimeWindow }) => {
  const { startMin, endMin, days, timezone } = window;
  const changes = useMemo(
    () => clockChanges({ startMin, endMin, days, timezone }, Date.now()),
    [startMin, endMin, days, timezone],
  );
  return (
    <section class="coming" aria-label="Days on which the clock changes">
      <h3>When the clock changes</h3>
      {changes.length === 0 ? (
        <p class="soft">The clock of {zoneName(timezone)} does not change within a year.</p>
      ) : (
        <ul class="clock-changes">
          {changes.map((change) => (
            <li key={change.atMs}>
              <strong>{DAY.format(Date.parse(change.day))}</strong>
              <span>
                The clock goes from {change.before} to {change.after}. {openText(change)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};

function openText({ openMinutes, usualMinutes }: ClockChange): string {
  if (openMinutes === 0 && usualMinutes === 0) return 'Agents cannot spend on that day anyway.';
  if (openMinutes === usualMinutes) {
    return `The hours of that day stay ${durationText(openMinutes)}.`;
  }
  return `Agents can spend for ${durationText(openMinutes)} on that day instead of ${durationText(usualMinutes)}.`;
}

function durationText(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours === 0 ? '' : `${hours} h`, rest === 0 && hours > 0 ? '' : `${rest} min`]
    .filter((part) => part !== '')
    .join(' ');
}
