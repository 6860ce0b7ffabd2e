import type { z } from 'zod';
import { apiSettings } from '../../apps/api/src/config.ts';
import { confirmWorkerSettings } from '../../apps/confirm-worker/src/config.ts';
import { dashboardSettings } from '../../apps/dashboard/src/config.ts';
import { facilitatorSettings } from '../../apps/facilitator/src/config.ts';
import { mcpSettings } from '../../apps/mcp/src/settings.ts';
import { migrateSettings } from '../../apps/migrate/src/config.ts';
import { txWorkerSettings } from '../../apps/tx-worker/src/config.ts';

/** Every process of a deployment with the schema that parses its environment. */
export const PROCESSES: Readonly<Record<string, z.ZodObject>> = {
  api: apiSettings,
  'tx-worker': txWorkerSettings,
  'confirm-worker': confirmWorkerSettings,
  dashboard: dashboardSettings,
  facilitator: facilitatorSettings,
  mcp: mcpSettings,
  migrate: migrateSettings,
};
