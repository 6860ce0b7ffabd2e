import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { anchorsIn } from '../../docs/anchors.ts';
import { type AlertRule, metricsIn, readAlertRules, readCaseNames } from './alert-rules.ts';

const RUNBOOK = fileURLToPath(new URL('../../../docs/runbook.md', import.meta.url));
const LINK = /^\{\{ \$externalLabels\.docs_url \}\}\/runbook\.md#(?<anchor>[\w-]+)$/;

const rules = readAlertRules();
const anchors = anchorsIn(readFileSync(RUNBOOK, 'utf8'));

const byName = rules.map((rule): [string, AlertRule] => [rule.alert, rule]);

test.each(byName)('%s links a section of the runbook', (_name, { annotations }) => {
  const anchor = LINK.exec(annotations.runbook_url)?.groups?.['anchor'] ?? '';
  expect([...anchors]).toContain(anchor);
});

test('every alert has cases in which it fires and in which it does not', () => {
  const cases = readCaseNames();
  const lacking = rules.filter(
    ({ alert }) =>
      !['fires', 'is quiet'].every((what) =>
        cases.some((name) => name.startsWith(`${alert} ${what}`)),
      ),
  );
  expect(lacking.map(({ alert }) => alert)).toEqual([]);
});

test('no two alerts have one name', () => {
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
});

test('the metrics of an expression are found, and not its labels', () => {
  const expr = 'sum by (x) (rate(agent_wallet_a_total{k="process_b"}[5m])) / nodejs_c > up';
  expect(metricsIn(expr)).toEqual(['agent_wallet_a_total', 'nodejs_c']);
});
