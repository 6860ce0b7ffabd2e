import { Amount } from '../../design/content/amount.tsx';
import { Table } from '../../design/content/table.tsx';
import type { CapCurve, HourOfCap } from './cap-curve.ts';
import { hourText } from './hour-text.ts';

/** The figures of the chart, for those who do not see it and those who want them exactly. */
export const CapTable = ({ curve }: { readonly curve: CapCurve }) => (
  <details class="cap-table">
    <summary>Show the figures as a table</summary>
    {curve.hours.length === 0 ? (
      <p class="soft">Nothing counts against the cap.</p>
    ) : (
      <Table<HourOfCap>
        caption="Hours that count against the cap"
        columns={[
          { heading: 'Hour', cell: ({ startSeconds }) => hourText(startSeconds) },
          {
            heading: 'Spent in it',
            isNumeric: true,
            cell: ({ amount }) => <Amount baseUnits={amount} />,
          },
          { heading: 'Counts until', cell: ({ freeAtSeconds }) => hourText(freeAtSeconds) },
          {
            heading: 'Counts after that',
            isNumeric: true,
            cell: ({ countedAfter }) => <Amount baseUnits={countedAfter} />,
          },
        ]}
        rows={curve.hours}
        keyOf={({ startSeconds }) => String(startSeconds)}
      />
    )}
  </details>
);
