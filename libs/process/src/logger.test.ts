import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createLogger, type Logger } from './logger.ts';

/** A logger, and the lines it has written. */
function openLog(level = 'info'): { readonly log: Logger; readonly lines: () => string } {
  const stream = new PassThrough();
  const chunks: string[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  return { log: createLogger({ name: 'test', level }, stream), lines: () => chunks.join('') };
}

const SECRET = 'this-must-not-be-seen';
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'set-cookie',
  'api_key',
  'apiKey',
  'signature',
  'txBase64',
  'payment_proof_header',
  'x-payment-proof',
  'secretKey',
  'sealed',
  'wire',
] as const;

test.each(SECRET_FIELDS)('%s is never logged, at any level', (field) => {
  const { log, lines } = openLog();
  const holder = { [field]: SECRET, spendId: 'seen' };
  log.info(holder, 'at the top');
  log.info({ one: holder }, 'one level down');
  log.info({ req: { headers: holder } }, 'where a request keeps its headers');
  log.info({ attempts: [holder, holder] }, 'in a list');
  log.child({ session: 'x' }).warn({ one: holder }, 'in a child');
  log.child(holder).info({ a: { b: { c: { d: holder } } } }, 'deep down, and bound to a child');
  expect(lines()).not.toContain(SECRET);
  expect(lines().match(/"seen"/g)).toHaveLength(8);
  expect(lines().trim().split('\n')).toHaveLength(6);
});

test('a line is one JSON object with process name, level and message', () => {
  const { log, lines } = openLog();
  log.error({ spendId: 'a\nb' }, 'two\nlines');
  const written = lines();
  expect(written.indexOf('\n')).toBe(written.length - 1);
  expect(JSON.parse(written)).toMatchObject({
    name: 'test',
    level: 50,
    spendId: 'a\nb',
    msg: 'two\nlines',
  });
});

test('events below the level are not written', () => {
  const { log, lines } = openLog('warn');
  log.info('quiet');
  expect(lines()).toBe('');
});

test('a query error is logged without the values of the query', () => {
  const { log, lines } = openLog();
  const cause = Object.assign(new Error('duplicate key'), { code: '23505', detail: SECRET });
  const fault = Object.assign(new Error('the query failed', { cause }), { values: [SECRET] });
  log.error({ err: fault }, 'pass failed');
  expect(lines()).toContain('duplicate key');
  expect(lines()).toContain('23505');
  expect(lines()).not.toContain(SECRET);
});
