import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';

export const PROMETHEUS_DIR = fileURLToPath(
  new URL('../../../deploy/prometheus/', import.meta.url),
);

const rulesFile = z.object({
  groups: z.array(
    z.object({
      name: z.string(),
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          labels: z.object({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.object({
            summary: z.string().min(1),
            description: z.string().min(1),
            runbook_url: z.string(),
          }),
        }),
      ),
    }),
  ),
});

const casesFile = z.object({ tests: z.array(z.object({ name: z.string() })) });

export type AlertRule = z.output<typeof rulesFile>['groups'][number]['rules'][number];

const readYaml = (path: string): unknown => parse(readFileSync(`${PROMETHEUS_DIR}${path}`, 'utf8'));

/** The alert rules of `deploy/prometheus`. Throws when one lacks a severity or an annotation. */
export function readAlertRules(): readonly AlertRule[] {
  const { groups } = rulesFile.parse(readYaml('rules/agent-wallet.yml'));
  return groups.flatMap(({ rules }) => rules);
}

/** The names of the cases that promtool runs, such as `WalletFeePayerLow fires`. */
export function readCaseNames(): readonly string[] {
  const { tests } = casesFile.parse(readYaml('tests/agent-wallet.test.yml'));
  return tests.map(({ name }) => name);
}

/** The metrics that a PromQL expression names; those of Prometheus itself, such as `up`, left out. */
export function metricsIn(expr: string): readonly string[] {
  const labelsAside = expr.replaceAll(/\{[^}]*\}/g, '');
  return [...labelsAside.matchAll(/\b(?:agent_wallet|process|nodejs)_\w+/g)].map(([name]) => name);
}

/** The names of the series in a scrape. */
export function seriesNamesIn(scraped: string): ReadonlySet<string> {
  const lines = scraped.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Set(lines.map((line) => line.split(/[{ ]/, 1)[0] ?? ''));
}
