/** The trace of a spend, from the three processes that work on it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHttpOwner } from '../support/http/http-owner.ts';
import { openTraceReceiver } from '../support/services/trace-receiver.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';
import { waitUntil } from '../support/wait-until.ts';

const receiver = await openTraceReceiver();
const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
const system = useSystem({
  env: { api: tracing, 'tx-worker': tracing, 'confirm-worker': tracing },
});
let fixture: LaneFixture;
beforeAll(async () => {
  fixture = await createLaneFixture(system());
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const SPANS = [
  ['api', 'POST /v1/spend/transfer'],
  ['api', 'accept'],
  ['api', 'nudge'],
  ['confirm-worker', 'resolve'],
  ['confirm-worker', 'settle'],
  ['tx-worker', 'claim'],
  ['tx-worker', 'prepare'],
  ['tx-worker', 'run lane'],
  ['tx-worker', 'send'],
  ['tx-worker', 'sign'],
].map((span) => span.join(' '));

test('each spend has one trace with the spans of all processes, and nothing secret in it', async () => {
  const recipient = await fixture.createRecipient();
  const owner = await createHttpOwner(system(), fixture, 1_000_000n);
  const { apiKey } = await owner.createSession({ recipients: [recipient] });
  const transfer = async (): Promise<string> => {
    const response = await fetch(`${system().urls.api}/v1/spend/transfer`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ recipient, amount: 1_000 }),
    });
    expect(response.status).toBe(200);
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null && 'spend_id' in body
      ? String(body.spend_id)
      : '';
  };
  const spendIds = [await transfer(), await transfer()];
  for (const spendId of spendIds) {
    const traceId = spendId.replaceAll('-', '');
    const spansOfTrace = () => receiver.spans.filter((span) => span.traceId === traceId);
    const spans = await waitUntil('the whole trace', () => {
      const found = spansOfTrace();
      return found.length >= SPANS.length && found;
    });
    expect(spans.map(({ service, name }) => `${service} ${name}`).toSorted()).toEqual(SPANS);
    const [root, ...others] = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
    expect(others).toEqual([]);
    expect(root?.name).toBe('accept');
    const children = spans.filter((span) => span !== root);
    expect(new Set(children.map(({ parentSpanId }) => parentSpanId))).toEqual(
      new Set([root?.spanId]),
    );
    expect(new Set(spans.map(({ attributes }) => attributes['agent_wallet.spend_id']))).toEqual(
      new Set([spendId]),
    );
  }
  expect(receiver.text()).not.toContain(apiKey);
  expect(receiver.text()).not.toContain(recipient);
});
