import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { DASHBOARD_FILE, dashboardText } from '../../../deploy/grafana/dashboard-file.ts';
import { ROWS } from '../../../deploy/grafana/panels.ts';

test('the dashboard is what `npm run dashboards` writes', async () => {
  expect(await readFile(DASHBOARD_FILE, 'utf8')).toBe(dashboardText());
});

test('no two panels have one title', () => {
  const titles = ROWS.flatMap(({ panels }) => panels.map(({ title }) => title));
  expect(new Set(titles).size).toBe(titles.length);
});
