import { buildDashboard } from './dashboard.ts';

/** The generated file. */
export const DASHBOARD_FILE = new URL('./dashboards/agent-wallet.json', import.meta.url);

/** Its content. */
export const dashboardText = (): string => `${JSON.stringify(buildDashboard(), null, 2)}\n`;
