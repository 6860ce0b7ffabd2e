import { isTimezone } from '@agent-wallet/policy';
import { useId } from 'preact/hooks';
import { Card } from '../../design/content/card.tsx';
import { Field } from '../../design/controls/field.tsx';
import { SelectField } from '../../design/controls/select-field.tsx';
import { Notice } from '../../design/feedback/notice.tsx';
import { ClockChangeList } from './clock-change-list.tsx';
import { ComingHours } from './coming-hours.tsx';
import { clockOf, type HoursDraft, toRule, windowOf } from './hours-draft.ts';
import { WeekGrid } from './week-grid.tsx';
import { DAYS, windowBetween } from './week-hours.ts';
import './hours-card.css';

const OWN_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;
/** What the editor begins with: working hours on the owner's own clock. */
const FIRST_HOURS: HoursDraft = {
  from: '09:00',
  until: '17:00',
  days: 0b11111,
  timezone: OWN_ZONE,
};
const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

/** When agents may spend: at any time, or in the same hours of some days of the week. */
export const HoursCard = ({
  hours,
  onChange,
}: {
  readonly hours: HoursDraft | null;
  readonly onChange: (hours: HoursDraft | null) => void;
}) => {
  const name = useId();
  return (
    <Card title="Hours">
      <fieldset class="hours-choice">
        <legend>Agents may spend</legend>
        <label>
          <input
            type="radio"
            name={name}
            checked={hours === null}
            onChange={() => onChange(null)}
          />
          At any time
        </label>
        <label>
          <input
            type="radio"
            name={name}
            checked={hours !== null}
            onChange={() => onChange(hours ?? FIRST_HOURS)}
          />
          Only in these hours
        </label>
      </fieldset>
      {hours === null ? null : <Hours hours={hours} onChange={onChange} />}
    </Card>
  );
};

const Hours = ({
  hours,
  onChange,
}: {
  readonly hours: HoursDraft;
  readonly onChange: (hours: HoursDraft) => void;
}) => {
  const set = (change: Partial<HoursDraft>) => onChange({ ...hours, ...change });
  const stored = windowOf(hours);
  const zones = ZONES.includes(hours.timezone) ? ZONES : [hours.timezone, ...ZONES];
  const rule = stored !== null && isTimezone(stored.timezone) ? toRule(stored) : null;
  return (
    <>
      <fieldset class="hours-days">
        <legend>Days</legend>
        {DAYS.map((day, i) => (
          <label key={day}>
            <input
              type="checkbox"
              checked={(hours.days & (1 << i)) !== 0}
              onChange={() => set({ days: hours.days ^ (1 << i) })}
            />
            <span aria-hidden="true">{day.slice(0, 3)}</span>
            <span class="visually-hidden">{day}</span>
          </label>
        ))}
      </fieldset>
      <div class="hours-times">
        <Field
          label="From"
          type="time"
          value={hours.from}
          error={hours.from === '' ? 'Enter a time.' : null}
          onValue={(from) => set({ from })}
        />
        <Field
          label="Until"
          type="time"
          value={hours.until}
          error={hours.until === '' ? 'Enter a time.' : null}
          onValue={(until) => set({ until })}
        />
        <SelectField
          label="Clock of"
          value={hours.timezone}
          options={zones.map((zone) => [zone, zone.replaceAll('_', ' ')])}
          onChange={(timezone) => set({ timezone })}
        />
      </div>
      {stored !== null && stored.start_min > stored.end_min ? (
        <p class="soft">
          The hours go on after midnight and belong to the day on which they begin.
        </p>
      ) : null}
      {hours.days === 0 ? (
        <Notice kind="warning" title="With no day, agents can never spend." />
      ) : null}
      {rule === null ? null : (
        <>
          <WeekGrid
            window={rule}
            onSelect={(one, other) => {
              const { startMin, endMin, days } = windowBetween(one, other);
              set({ from: clockOf(startMin), until: clockOf((endMin + 1) % 1_440), days });
            }}
          />
          <ComingHours window={rule} ownZone={OWN_ZONE} />
          <ClockChangeList window={rule} />
        </>
      )}
    </>
  );
};
