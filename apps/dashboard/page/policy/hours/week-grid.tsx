import type { TimeWindow } from '@agent-wallet/policy';
import { useEffect, useRef, useState } from 'preact/hooks';
import { clockOf } from './hours-draft.ts';
import { hourAfterKey, isBetween } from './grid-keys.ts';
import { DAYS, type WeekHour, weekHours } from './week-hours.ts';
import './week-grid.css';

const STATE_NAMES = { open: 'open', partly: 'partly open', closed: 'closed' } as const;
const LABELLED_HOURS = 3;

/**
 * The week on the window's own clock. A block of hours is chosen with the pointer, from one corner
 * to the other, or with the keyboard: Enter at one corner, arrow keys, Enter at the other.
 */
export const WeekGrid = ({
  window,
  onSelect,
}: {
  readonly window: TimeWindow;
  readonly onSelect: (one: WeekHour, other: WeekHour) => void;
}) => {
  const [at, setAt] = useState<WeekHour>({ day: 0, hour: Math.floor(window.startMin / 60) });
  const [corner, setCorner] = useState<WeekHour | null>(null);
  const grid = useRef<HTMLTableElement>(null);
  const isMoved = useRef(false);
  /** Whether the button that set the corner is still down: a click sets one corner, a drag both. */
  const isFirstPress = useRef(false);
  const states = weekHours(window);

  useEffect(() => {
    if (!isMoved.current) return;
    grid.current?.querySelector<HTMLElement>(`[data-hour="${at.day}-${at.hour}"]`)?.focus();
  }, [at]);

  const press = (hour: WeekHour) => {
    if (corner === null) setCorner(hour);
    else {
      setCorner(null);
      onSelect(corner, hour);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ' ') press(at);
    else if (event.key === 'Escape' && corner !== null) setCorner(null);
    else {
      const next = hourAfterKey(at, event.key);
      if (next === null) return;
      isMoved.current = true;
      setAt(next);
    }
    event.preventDefault();
  };
  return (
    <div class="week">
      <p class="soft week-hint" id="week-hint">
        Draw a block of days and hours here, or use the fields above. With the keyboard: Enter at
        one corner, arrow keys, Enter at the other.
      </p>
      <div class="week-frame">
        <table
          ref={grid}
          class="week-grid"
          role="grid"
          aria-label={`Hours of the week on the clock of ${window.timezone}`}
          aria-describedby="week-hint"
          onKeyDown={onKeyDown}
        >
          <thead>
            <tr>
              <td />
              {states[0]?.map((_state, hour) => (
                <th key={hour} scope="col" class={hour % LABELLED_HOURS === 0 ? '' : 'week-quiet'}>
                  <span>{hour}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {DAYS.map((name, day) => (
              <tr key={name}>
                <th scope="row">{name.slice(0, 3)}</th>
                {states[day]?.map((state, hour) => {
                  const cell = { day, hour };
                  const isChosen = corner !== null && isBetween(cell, corner, at);
                  return (
                    <td
                      key={hour}
                      role="gridcell"
                      data-hour={`${day}-${hour}`}
                      class={`week-${state}${isChosen ? ' week-chosen' : ''}`}
                      tabindex={at.day === day && at.hour === hour ? 0 : -1}
                      aria-selected={isChosen}
                      aria-label={`${name} ${clockOf(hour * 60)}, ${STATE_NAMES[state]}`}
                      onPointerDown={(event) => {
                        if (event.pointerType !== 'mouse' || corner !== null) return;
                        isFirstPress.current = true;
                        setAt(cell);
                        setCorner(cell);
                      }}
                      onPointerEnter={() => corner !== null && setAt(cell)}
                      onPointerUp={() => {
                        const isClick = corner?.day === day && corner.hour === hour;
                        const isFirst = isFirstPress.current;
                        isFirstPress.current = false;
                        if (isFirst && isClick) return;
                        setAt(cell);
                        press(cell);
                      }}
                    />
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="week-legend">
        <span class="week-key week-open" /> open <span class="week-key week-partly" /> partly open{' '}
        <span class="week-key week-closed" /> closed
      </p>
      <p class="visually-hidden" role="status">
        {corner === null
          ? ''
          : `Choosing from ${DAYS[corner.day]} ${clockOf(corner.hour * 60)} to ${DAYS[at.day]} ${clockOf(at.hour * 60)}`}
      </p>
    </div>
  );
};
