import { beforeAll, expect, test } from 'vitest';
import { ROWS } from '../../deploy/grafana/panels.ts';
import { metricsIn, readAlertRules, seriesNamesIn } from '../ops/watch/alert-rules.ts';
import { promtool, whyNoPromtool } from '../ops/watch/promtool.ts';
import { type Scrape, scrape } from '../support/http/scrape.ts';
import { useSystem } from '../support/system/use-system.ts';
import { waitUntil } from '../support/wait-until.ts';

const missing = whyNoPromtool();
if (missing !== null) process.stdout.write(`skipped: promtool check metrics, because ${missing}\n`);

const PROCESSES = ['api', 'tx-worker', 'confirm-worker', 'facilitator'] as const;
type Name = (typeof PROCESSES)[number];

// The facilitator comes with the paid services.
const system = useSystem({ paidServices: true });
const scrapeOf = (name: Name): Promise<Scrape> => scrape(system().urls.metrics[name] ?? '');

beforeAll(async () => {
  await waitUntil('the first measurements', async () => {
    const [worker, confirming] = [await scrapeOf('tx-worker'), await scrapeOf('confirm-worker')];
    return (
      worker.text.includes('agent_wallet_queue_up 1\n') &&
      worker.text.includes('agent_wallet_session_keys_free 64\n') &&
      confirming.valueOf('agent_wallet_followed_slot') > 0
    );
  });
});

test.runIf(missing === null).each(PROCESSES)('promtool finds nothing in %s', async (name) => {
  const { text } = await scrapeOf(name);
  expect(promtool(['check', 'metrics'], { input: text })).toEqual({ output: '', code: 0 });
});

test.each(PROCESSES)('%s shows its build, memory, CPU and event loop', async (name) => {
  const { text, valueOf } = await scrapeOf(name);
  expect(text).toMatch(
    new RegExp(
      `^agent_wallet_build_info\\{process="${name}",version="\\d[^"]*",node="\\d[^"]*"\\} 1$`,
      'm',
    ),
  );
  for (const series of [
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
    'process_start_time_seconds',
    'process_open_fds',
    'nodejs_eventloop_lag_p99_seconds',
  ]) {
    expect(valueOf(series)).toBeGreaterThan(0);
  }
});

test.each(['api', 'tx-worker', 'confirm-worker'] as const)('%s shows its pool', async (name) => {
  const { valueOf } = await scrapeOf(name);
  expect(valueOf('agent_wallet_database_pool_size')).toBe(20);
  expect(valueOf('agent_wallet_database_connect_failures_total{why="connect"}')).toBe(0);
});

test('the tx-worker shows the queue, and its counters at 0', async () => {
  const { valueOf } = await scrapeOf('tx-worker');
  for (const state of ['waiting', 'active', 'failed']) {
    expect(valueOf(`agent_wallet_queue_jobs{state="${state}"}`)).toBe(0);
  }
  expect(valueOf('agent_wallet_lane_faults_total{stage="prepare"}')).toBe(0);
  expect(valueOf('agent_wallet_reserved_base_units')).toBe(0);
});

test('the follower of an idle chain stays close to its head', async () => {
  const { valueOf } = await scrapeOf('confirm-worker');
  const behind = valueOf('agent_wallet_chain_head_slot') - valueOf('agent_wallet_followed_slot');
  expect(behind).toBeLessThan(150);
  expect(valueOf('agent_wallet_alerts_total{kind="event_without_spend"}')).toBe(0);
});

test('every metric of the alert rules and of the dashboard exists in a scrape', async () => {
  const scraped = await Promise.all(PROCESSES.map(scrapeOf));
  const text = scraped.map((one) => one.text).join('\n');
  const known = seriesNamesIn(text);
  // A histogram without a label has its series from the start, one with labels from its first value.
  const histograms = [...text.matchAll(/^# TYPE (?<name>\w+) histogram$/gm)];
  const ofHistograms = histograms.map(({ groups }) => `${groups?.['name']}_bucket`);
  const shown = ROWS.flatMap(({ panels }) => panels).flatMap(({ queries }) => queries);
  const named = [...readAlertRules(), ...shown].flatMap(({ expr }) => metricsIn(expr));
  // Written by deploy/prometheus/verify-audit.sh.
  const ours = named.filter((name) => !name.startsWith('agent_wallet_audit_verify_'));
  expect(ours.length).toBeGreaterThan(80);
  expect(ours.filter((name) => !known.has(name) && !ofHistograms.includes(name))).toEqual([]);
});
