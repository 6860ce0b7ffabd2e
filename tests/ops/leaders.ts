import type { System } from '@agent-wallet/local-system/system/start-system.ts';
import { waitUntil } from '../support/wait-until.ts';

const LEADS = 'agent_wallet_leads';

type Urls = Pick<System, 'urls'>;

/** Waits until one copy of a worker leads all of these tasks, or each of them is led; returns a leader. */
export async function findLeader(
  system: Urls,
  role: string,
  tasks: readonly string[],
): Promise<string> {
  return waitUntil(`the tasks of the ${role} are led`, async () => {
    const led = await Promise.all(
      copiesOf(system, role).map(async (name) => ({ name, tasks: await valueOf(system, name) })),
    );
    const count = led.reduce((sum, copy) => sum + copy.tasks, 0);
    const [first] = led.toSorted((one, other) => other.tasks - one.tasks);
    return count >= tasks.length ? (first?.name ?? null) : null;
  });
}

/** How many tasks the copies of a worker lead, without one of them. */
export async function countLeaders(system: Urls, role: string, without: string): Promise<number> {
  const others = copiesOf(system, role).filter((name) => name !== without);
  const counts = await Promise.all(others.map((name) => valueOf(system, name)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The sum of a metric over all labels and workers. */
export async function sumOf(system: Urls, metric: string): Promise<number> {
  const names = [...copiesOf(system, 'confirm-worker'), ...copiesOf(system, 'tx-worker')];
  const values = await Promise.all(names.map((name) => valueOf(system, name, metric)));
  return values.reduce((sum, value) => sum + value, 0);
}

const copiesOf = ({ urls }: Urls, role: string): readonly string[] =>
  Object.keys(urls.metrics).filter((name) => name === role || name.startsWith(`${role}-`));

async function valueOf({ urls }: Urls, name: string, metric = LEADS): Promise<number> {
  const response = await fetch(`${urls.metrics[name]}/metrics`);
  const lines = (await response.text()).split('\n');
  return lines
    .filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
