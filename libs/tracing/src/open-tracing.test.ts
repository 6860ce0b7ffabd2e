import { createServer } from 'node:http';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { openTracing } from './open-tracing.ts';
import { recordWith, startSpan } from './span.ts';
import { traceOf } from './trace-ids.ts';

const SPEND_ID = '0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6071';
const options = { service: 'test', endpoint: undefined, ratio: 1, onLost: () => undefined };
const mustNotLoad = () => Promise.reject(new Error('must not be loaded'));
const closed = () => Promise.resolve();
afterEach(() => recordWith(null));

test('without an endpoint nothing is loaded, and spans cost nothing', async () => {
  await using tracing = await openTracing(options, mustNotLoad);
  expect(tracing).toBeDefined();
  expect(startSpan('a')).toBe(startSpan('b'));
});

test('with an endpoint the exporter is loaded, and gets one span for each spend', async () => {
  const names: string[] = [];
  const record = ({ name, spend }: { name: string; spend: { spendId: string } }) =>
    void names.push(`${name} ${spend.spendId}`);
  const load = () => Promise.resolve({ openOtlp: () => ({ record, close: closed }) });
  const tracing = await openTracing({ ...options, endpoint: 'http://127.0.0.1:1' }, load);
  const end = startSpan('claim');
  end({ spendId: 'one' });
  end({ spendId: 'two' });
  await tracing[Symbol.asyncDispose]();
  end({ spendId: 'late' });
  expect(names).toEqual(['claim one', 'claim two']);
});

test('the trace of a spend is its id', () => {
  const { traceId, spanId } = traceOf(SPEND_ID);
  expect(traceId).toBe('0189b2c45d6e7f809a1b2c3d4e5f6071');
  expect(spanId).toMatch(/^[0-9a-f]{16}$/);
  expect(traceOf(SPEND_ID)).toEqual({ traceId, spanId });
});

/** A receiver that replies with `status`. */
async function openReceiver(status: number) {
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers['x-tenant'], request.url);
    request.resume();
    response.writeHead(status).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return { seen, endpoint: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

test('headers and the share of spends are those of the settings', async () => {
  const { seen, endpoint, close } = await openReceiver(200);
  const none = await openTracing({ ...options, endpoint, ratio: 0 });
  startSpan('a')({ spendId: SPEND_ID });
  await none[Symbol.asyncDispose]();
  expect(seen).toEqual([]);
  const all = await openTracing({ ...options, endpoint, headers: 'x-tenant=one%20two' });
  startSpan('a')({ spendId: SPEND_ID });
  await all[Symbol.asyncDispose]();
  expect(seen).toEqual(['one two', '/v1/traces']);
  close();
});

test('spans that the receiver refuses are reported as lost', async () => {
  const { endpoint, close } = await openReceiver(400);
  let lost = 0;
  const onLost = () => void (lost += 1);
  const tracing = await openTracing({ ...options, endpoint, onLost });
  startSpan('a')({ spendId: SPEND_ID });
  await tracing[Symbol.asyncDispose]();
  expect(lost).toBe(1);
  close();
});
