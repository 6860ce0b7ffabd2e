import { createAgentWallet } from '@agent-wallet/sdk';
import { expect, test } from 'vitest';
import { createHttpOwner } from '../support/http/http-owner.ts';
import { createLaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';
import { waitUntil } from '../support/wait-until.ts';

const system = useSystem({ restarts: true });

/** Runs the system as `npm start` does, and kills processes without its supervisor. */
async function killFromOutside(name: string): Promise<void> {
  const pid = system().pid(name);
  process.kill(pid, 'SIGKILL');
  await waitUntil(`another ${name}`, () => system().pid(name) !== pid);
}

test('after a kill of each process a spend is accepted, lands and is answered', async () => {
  await using fixture = await createLaneFixture(system());
  const recipient = await fixture.createRecipient();
  const owner = await createHttpOwner(system(), fixture, 1_000_000n);
  const { apiKey } = await owner.createSession({ recipients: [recipient] });
  await Promise.all(['tx-worker', 'confirm-worker', 'api'].map(killFromOutside));
  await waitUntil('the api', () => isReady(system().urls.api));
  const wallet = createAgentWallet({ url: system().urls.api, apiKey });
  const spent = await wallet.transfer({ recipient, amount: 250_000n });
  expect(spent).toMatchObject({ status: 'confirmed' });
});

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
}
