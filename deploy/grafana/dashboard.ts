import { ReduceDataOptionsBuilder } from '@grafana/grafana-foundation-sdk/common';
import {
  DashboardBuilder,
  DashboardCursorSync,
  type Dashboard,
  DatasourceVariableBuilder,
  RowBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as LinesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { type Panel, ROWS } from './panels.ts';

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };
const PANELS_A_LINE = 3;
/** Of 24. */
const WIDTH = 24 / PANELS_A_LINE;
const HEIGHT = 7;

/** The dashboard of the system, for Grafana 10 and later. */
export function buildDashboard(): Dashboard {
  const dashboard = new DashboardBuilder('Agent wallet')
    .uid('agent-wallet')
    .description('Money, spends, queue, chain and processes')
    .tags(['agent-wallet'])
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: 'now-3h', to: 'now' })
    .refresh('30s')
    .timezone('browser')
    .withVariable(
      new DatasourceVariableBuilder('datasource').label('Prometheus').type('prometheus'),
    );
  for (const row of ROWS) {
    dashboard.withRow(new RowBuilder(row.title));
    for (const panel of row.panels) dashboard.withPanel(builderOf(panel));
  }
  return dashboard.build();
}

function builderOf(panel: Panel): StatBuilder | LinesBuilder {
  const builder = panel.isAlarm === true ? alarmBuilder() : new LinesBuilder().fillOpacity(8);
  builder
    .title(panel.title)
    .unit(panel.unit)
    .min(0)
    .span(WIDTH)
    .height(HEIGHT)
    .datasource(DATASOURCE);
  if (panel.description !== undefined) builder.description(panel.description);
  for (const [index, { expr, legend }] of panel.queries.entries()) {
    const refId = String.fromCodePoint(65 + index);
    const query = new DataqueryBuilder().refId(refId).expr(expr).legendFormat(legend);
    builder.withTarget(panel.isAlarm === true ? query.instant() : query.range());
  }
  return builder;
}

/** Green at 0, red above. */
function alarmBuilder(): StatBuilder {
  const thresholds = new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps([
    { value: null, color: 'green' },
    { value: 1, color: 'red' },
  ]);
  const newest = new ReduceDataOptionsBuilder().calcs(['lastNotNull']);
  return new StatBuilder().thresholds(thresholds).reduceOptions(newest);
}
