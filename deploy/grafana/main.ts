/** `npm run dashboards`: writes the dashboards that Grafana loads. */
import { writeFile } from 'node:fs/promises';
import { DASHBOARD_FILE, dashboardText } from './dashboard-file.ts';

await writeFile(DASHBOARD_FILE, dashboardText());
process.stdout.write('deploy/grafana/dashboards/agent-wallet.json is written\n');
