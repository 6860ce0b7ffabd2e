import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { CliError, EXIT } from '../cli-error.ts';
import { createTerminal } from './terminal.ts';

/** A terminal at which this is typed; null where there is none. */
function open(
  typed: string | null,
  settings: { readonly isJson?: boolean; readonly saysYes?: boolean } = {},
) {
  const stdin = Object.assign(new PassThrough(), { isTTY: typed !== null });
  if (typed !== null) stdin.end(typed);
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const interrupted = new AbortController();
  const { isJson = false, saysYes = false } = settings;
  const { signal } = interrupted;
  const terminal = createTerminal({ stdin, stdout, stderr, isJson, saysYes, signal });
  const written = async () => {
    stdout.end();
    stderr.end();
    return { out: await text(stdout), err: await text(stderr) };
  };
  return { terminal, interrupted, written };
}

describe('before anything is signed', () => {
  test.each(['y\n', 'Y\n', 'yes\n', ' yes \n'])('%j goes on', async (typed) => {
    const { terminal, written } = open(typed);
    await terminal.agree(['All will be withdrawn']);
    expect(await written()).toEqual({ out: '', err: 'All will be withdrawn\nGo on? [y/N] ' });
  });

  test.each(['n\n', '\n', '', 'yess\n', 'no\ny\n'])('%j signs nothing', async (typed) => {
    const { terminal } = open(typed);
    const declined = new CliError('Nothing was signed.', { exitCode: EXIT.refused });
    await expect(terminal.agree([])).rejects.toMatchObject({
      exitCode: declined.exitCode,
      message: declined.message,
    });
  });

  test('--yes asks nothing, and shows what is signed', async () => {
    const { terminal, written } = open(null, { saysYes: true });
    await terminal.agree(['All will be withdrawn']);
    expect(await written()).toEqual({ out: '', err: 'All will be withdrawn\n' });
  });

  test('nobody is asked where there is no terminal', async () => {
    const { terminal } = open(null);
    await expect(terminal.agree([])).rejects.toThrow('add --yes to go on without a question');
  });

  test('Ctrl-C ends the question with its reason', async () => {
    const { terminal, interrupted } = open('');
    const reason = new CliError('Interrupted');
    interrupted.abort(reason);
    await expect(terminal.agree([])).rejects.toBe(reason);
  });
});

test('lines of a result make room for the one JSON value', async () => {
  const lines = open(null);
  lines.terminal.print('1. done');
  expect(await lines.written()).toEqual({ out: '1. done\n', err: '' });
  const json = open(null, { isJson: true });
  json.terminal.print('1. done');
  expect(await json.written()).toEqual({ out: '', err: '1. done\n' });
});
