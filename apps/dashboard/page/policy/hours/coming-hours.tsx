import { isWithinWindow, openSpans, opensAt, type TimeWindow } from '@agent-wallet/policy';
import { StatusBadge } from '../../design/content/status-badge.tsx';
import { spanText, zoneName } from './span-text.ts';
import './coming-hours.css';

const WEEK_MS = 7 * 86_400_000;

/** The next seven days: when agents may spend, on the window's clock and on the owner's own. */
export const ComingHours = ({
  window,
  ownZone,
}: {
  readonly window: TimeWindow;
  /** The zone of this browser. */
  readonly ownZone: string;
}) => {
  const nowMs = Date.now();
  const spans = openSpans(window, nowMs, nowMs + WEEK_MS);
  const isOwn = window.timezone === ownZone;
  return (
    <section class="coming" aria-label="The next seven days">
      <h3>The next seven days</h3>
      <p>
        <NowText window={window} nowMs={nowMs} ownZone={ownZone} />
      </p>
      {spans.length === 0 ? null : (
        <div class="coming-frame" role="region" aria-label="Open hours" tabindex={0}>
          <table class="coming-table">
            <thead>
              <tr>
                <th scope="col">{zoneName(window.timezone)}</th>
                {isOwn ? null : <th scope="col">Your clock, {zoneName(ownZone)}</th>}
              </tr>
            </thead>
            <tbody>
              {spans.map((span) => (
                <tr key={span.fromMs}>
                  <td>{spanText(span, window.timezone)}</td>
                  {isOwn ? null : <td>{spanText(span, ownZone)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
};

const NowText = ({
  window,
  nowMs,
  ownZone,
}: {
  readonly window: TimeWindow;
  readonly nowMs: number;
  readonly ownZone: string;
}) => {
  if (isWithinWindow(window, nowMs)) {
    return <StatusBadge kind="positive">Open now</StatusBadge>;
  }
  const next = opensAt(window, nowMs);
  return (
    <>
      <StatusBadge kind="neutral">Closed now</StatusBadge>{' '}
      {next === null ? 'Never opens' : `Opens ${spanText({ fromMs: next, toMs: null }, ownZone)}`}
      {next === null || window.timezone === ownZone ? '' : ' on your clock'}
    </>
  );
};
