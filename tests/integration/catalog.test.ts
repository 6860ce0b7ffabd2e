import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { parseCommandLine } from '../../apps/cli/src/command-line/parse-command-line.ts';
import { addOperator } from '../../apps/cli/src/operator/add-operator.ts';
import { parseCatalogConfig } from '../../apps/cli/src/operator/config.ts';
import { createTerminal } from '../../apps/cli/src/terminal/terminal.ts';
import { createTestDatabase } from '../support/database/test-database.ts';

const database = await createTestDatabase();
afterAll(() => database[Symbol.asyncDispose]());

const PAYEE = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const MAIN = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url));
const price = ['--pay-to', PAYEE, '--max-price', '10000'];

/** The lines that `agent-wallet catalog …` prints. */
async function catalog(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<readonly string[]> {
  const { text } = await run(args, env);
  return String(text).split('\n');
}

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const line = ['catalog', ...args];
  const call = parseCommandLine([addOperator], line, { description: '', print: () => undefined });
  if (call === null) throw new Error('no command');
  const { signal } = new AbortController();
  const terminal = createTerminal({ ...process, isJson: false, saysYes: false, signal });
  const outcome = await call.run({
    terminal,
    signal,
    env: { DATABASE_URL: database.url, ...env },
  });
  expect(outcome.exitCode).toBe(0);
  return outcome;
}

describe('agent-wallet catalog', () => {
  test('adds, lists, enables, disables and removes a service', async () => {
    expect(await catalog(['list'])).toHaveLength(1);
    const add = ['add', 'weather', '--url', 'https://weather.example/v1', '--proof', 'x402'];
    expect(await catalog([...add, ...price])).toEqual([
      'weather is added; "agent-wallet catalog enable weather" lets agents pay it.',
    ]);
    const [head, row] = await catalog(['list']);
    expect(head).toMatch(/^SLUG +ENABLED +PROOF +METHOD +MAX PRICE +PAY TO +URL +NAME$/);
    expect(row).toMatch(
      /^weather +no +x402 +GET\/POST +10000 +4zMM\w+ +https:\/\/weather\.example\/v1 +weather$/,
    );
    expect((await run(['list'])).json).toEqual([
      {
        slug: 'weather',
        name: 'weather',
        base_url: 'https://weather.example/v1',
        enabled: false,
        pay_to: PAYEE,
        max_price: 10_000n,
        method: null,
        proof: 'x402',
        created_at: expect.any(Date),
      },
    ]);
    await catalog(['enable', 'weather']);
    expect((await catalog(['list']))[1]).toMatch(/^weather +yes/);
    await catalog(['disable', 'weather']);
    expect((await catalog(['list']))[1]).toMatch(/^weather +no/);
    await expect(catalog([...add, ...price])).rejects.toThrow(
      'There is already a service "weather": remove it first.',
    );
    await catalog(['remove', 'weather']);
    expect(await catalog(['list'])).toHaveLength(1);
  });

  test.each(['enable', 'disable', 'remove'])('cannot %s what is not there', async (verb) => {
    await expect(catalog([verb, 'unknown'])).rejects.toThrow('There is no service "unknown".');
  });

  test.each([
    ['http://weather.example/', '--url must be an https URL.'],
    ['https://10.0.0.1/', '--url must have a host name, not an IP address.'],
    ['https://*.example/', '--url must not have a wildcard in the host.'],
  ])('adds nothing at %s', async (url, sentence) => {
    await expect(catalog(['add', 'a', '--url', url, ...price])).rejects.toThrow(sentence);
    expect(await catalog(['list'])).toHaveLength(1);
  });

  test('lets a configured loopback service in, and no other', async () => {
    const env = { LOOPBACK_SERVICES: 'http://127.0.0.1:4021' };
    const add = (slug: string, url: string) => catalog(['add', slug, '--url', url, ...price], env);
    await add('near', 'http://127.0.0.1:4021/paid');
    await expect(add('other', 'http://127.0.0.1:4022/paid')).rejects.toThrow('--url must');
    expect(() =>
      parseCatalogConfig({ DATABASE_URL: 'x', LOOPBACK_SERVICES: 'http://far.example' }),
    ).toThrow('LOOPBACK_SERVICES must be origins on loopback');
  });

  test('ends with exit code 2 and one sentence for what cannot be done', async () => {
    const args = [MAIN, 'catalog', 'add', 'a', '--url', 'https://a.example/', '--max-price', '1'];
    const ended = await new Promise((resolve) => {
      execFile(process.execPath, args, { env: {} }, (error, stdout, stderr) =>
        resolve({ code: error?.code, stdout, stderr }),
      );
    });
    // A library of the token client may say before it that it runs without a native addon.
    const stderr = expect.stringMatching(
      /^(bigint: .*\n)?--pay-to is missing: which address is paid\?\n$/,
    );
    expect(ended).toEqual({ code: 2, stdout: '', stderr });
  });
});
