import type { Step } from '../step.ts';
import { needTools } from '../tools/need-tools.ts';
import { runTool } from '../tools/run-tool.ts';

/** The alert rules and the dashboard, by promtool and against the metrics of a running system. */
export const testAlerts: Step = {
  name: 'each alert fires and stays quiet where it should, and names metrics that exist',
  run: async (ops) => {
    await needTools(ops, { promtool: 'prometheus' });
    await runTool(['npm', 'run', 'test:slow', '--', 'tests/ops/watch', 'tests/e2e/metrics']);
  },
};
