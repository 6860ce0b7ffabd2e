import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ROWS } from '../../../deploy/grafana/panels.ts';
import { PROMETHEUS_DIR } from './alert-rules.ts';
import { promtool, whyNoPromtool } from './promtool.ts';

const missing = whyNoPromtool();
if (missing !== null) process.stdout.write(`skipped: the alert rules, because ${missing}\n`);

const cwd = PROMETHEUS_DIR;

describe.runIf(missing === null)('promtool', () => {
  test.each([
    ['check', 'config', 'prometheus.yml'],
    ['check', 'rules', 'rules/agent-wallet.yml'],
    ['test', 'rules', 'tests/agent-wallet.test.yml'],
  ])(
    '%s %s %s passes',
    (...args) => {
      const { output, code } = promtool(args, { cwd });
      expect(output).not.toMatch(/FAILED|duplicate/);
      expect({ output, code }).toMatchObject({ code: 0 });
    },
    300_000,
  );

  test('check rules finds nothing in the queries of the dashboard', () => {
    const rules = ROWS.flatMap(({ panels }) => panels)
      .flatMap(({ queries }) => queries)
      .map(({ expr }, index) => ({
        record: `panel:${index}`,
        // Grafana sets its own variables.
        expr: expr.replaceAll(/\$__(?:rate_interval|range)/g, '5m'),
      }));
    const folder = mkdtempSync(join(tmpdir(), 'panels-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'panels.yml');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }));
    expect(promtool(['check', 'rules', file]).output).toContain(`${rules.length} rules found`);
  });
});

const SCRIPT = `${PROMETHEUS_DIR}verify-audit.sh`;
const SUCCESS = /^agent_wallet_audit_verify_success_timestamp_seconds \d{10}$/m;

test.each([
  ['all equal', 0, true],
  ['a difference', 1, true],
  ['not verified', 2, false],
])('the verification of the audit log writes "%s" for the collector', (_what, code, isVerified) => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'audit.prom');
  const ran = spawnSync(SCRIPT, [file, 'sh', '-c', `echo line; exit ${code}`], {
    encoding: 'utf8',
  });
  expect([ran.status, ran.stdout, ran.stderr]).toEqual([code, 'line\n', '']);
  const written = readFileSync(file, 'utf8');
  expect(written).toContain(`\nagent_wallet_audit_verify_exit_code ${code}\n`);
  expect(SUCCESS.test(written)).toBe(isVerified);
  const nothing = { output: '', code: 0 };
  const found = missing === null ? promtool(['check', 'metrics'], { input: written }) : nothing;
  expect(found).toEqual(nothing);
});

test('the time of the last finished verification survives one that was not finished', () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'audit.prom');
  execFileSync(SCRIPT, [file, 'true']);
  const [verifiedAt] = SUCCESS.exec(readFileSync(file, 'utf8')) ?? [];
  spawnSync(SCRIPT, [file, 'sh', '-c', 'exit 2']);
  expect(readFileSync(file, 'utf8')).toContain(verifiedAt);
});
