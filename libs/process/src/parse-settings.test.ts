import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Contradiction, parseSettings, SettingsError } from './parse-settings.ts';
import {
  commonContradictions,
  commonSettings,
  loopbackOnMainnet,
  loopbackServices,
  wholeNumber,
} from './settings.ts';

const schema = z.object({
  ...commonSettings,
  LOOPBACK_SERVICES: loopbackServices,
  PORT: wholeNumber(8_080, { min: 0, max: 65_535 }),
  SECRET: z.string().min(8).optional(),
  ORIGIN: z.url({ protocol: /^https?$/ }).optional(),
});

const contradictions: readonly Contradiction<z.output<typeof schema>>[] = [
  ...commonContradictions,
  loopbackOnMainnet,
];

const GOOD = {
  DATABASE_URL: 'postgres://localhost/x',
  RPC_URL: 'http://localhost:8899',
  PROGRAM_ID: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
  USDC_MINT: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
};

test('defaults fill in every setting that may be left out', () => {
  expect(parseSettings('a process', schema, GOOD)).toMatchObject({
    LOG_LEVEL: 'info',
    ALLOW_MAINNET: false,
    LOOPBACK_SERVICES: [],
    PORT: 8_080,
  });
});

test.each([
  ['DATABASE_URL', undefined, 'is missing'],
  ['DATABASE_URL', '', 'must not be empty'],
  ['RPC_URL', 'x', 'must be 1 to 8 different http(s) URLs, separated by commas'],
  ['PROGRAM_ID', 'x', 'must be a base58 address of 32 bytes'],
  ['USDC_MINT', '', 'must be a base58 address of 32 bytes'],
  ['LOG_LEVEL', 'x', 'must be one of trace, debug, info, warn, error, fatal'],
  ['ALLOW_MAINNET', 'x', 'must be true or false'],
  [
    'LOOPBACK_SERVICES',
    'http://example.com',
    'must be origins on loopback such as http://127.0.0.1:4021, separated by commas',
  ],
  ['PORT', '', 'must be a whole number from 0 to 65535'],
  ['PORT', '65536', 'must be a whole number from 0 to 65535'],
  ['SECRET', 'x', 'must have at least 8 characters'],
  ['ORIGIN', 'x', 'must be a valid url'],
])('%s=%s is refused in one sentence', (name, value, what) => {
  const refused = (): unknown => parseSettings('a process', schema, { ...GOOD, [name]: value });
  const sentence = `a process: the environment variable ${name} ${what}`;
  expect(refused).toThrow(new SettingsError(sentence));
});

const parse = (env: NodeJS.ProcessEnv) =>
  parseSettings('a process', schema, { ...GOOD, ...env }, contradictions);

test('every missing, wrong and contradicting variable is named at once', () => {
  const env = {
    DATABASE_URL: undefined,
    RPC_URL: 'a secret',
    PORT: 'eighty',
    ALLOW_MAINNET: 'true',
    LOOPBACK_SERVICES: 'http://localhost:4021',
  };
  expect(() => parse(env)).toThrow(
    new SettingsError(
      [
        'a process: 4 environment variables are missing or wrong:',
        '- the environment variable DATABASE_URL is missing',
        '- the environment variable RPC_URL must be 1 to 8 different http(s) URLs, separated by commas',
        '- the environment variable PORT must be a whole number from 0 to 65535',
        '- the environment variable LOOPBACK_SERVICES must be empty where ALLOW_MAINNET is true',
      ].join('\n'),
    ),
  );
});

test('a contradiction is not looked for while one of its settings is wrong', () => {
  const env = { ALLOW_MAINNET: 'perhaps', LOOPBACK_SERVICES: 'http://localhost:4021' };
  expect(() => parse(env)).toThrow(
    new SettingsError('a process: the environment variable ALLOW_MAINNET must be true or false'),
  );
});

test('calls of one method cannot be more than all calls', () => {
  const limits = { RPC_MAX_CALLS_PER_S: '10', RPC_MAX_CALLS_PER_METHOD_PER_S: '11' };
  expect(() => parse(limits)).toThrow(
    'RPC_MAX_CALLS_PER_METHOD_PER_S must not be above RPC_MAX_CALLS_PER_S',
  );
  expect(parse({ ...limits, RPC_MAX_CALLS_PER_S: '11' })).toMatchObject({
    RPC_MAX_CALLS_PER_S: 11,
  });
});

const folder = mkdtempSync(join(tmpdir(), 'settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(content: string): string {
  const path = join(folder, 'a-secret');
  writeFileSync(path, content);
  return path;
}

const fromFile = (path: string, more: NodeJS.ProcessEnv = {}) =>
  parse({ DATABASE_URL: undefined, DATABASE_URL_FILE: path, ...more });

test.each(['postgres://file/x', 'postgres://file/x\n', 'postgres://file/x\r\n'])(
  'a secret comes from the file that NAME_FILE names: %j',
  (content) => {
    expect(fromFile(fileOf(content)).DATABASE_URL).toBe('postgres://file/x');
  },
);

test('only one newline at the end is not part of the secret', () => {
  expect(fromFile(fileOf(' x \n\n')).DATABASE_URL).toBe(' x \n');
});

test.each([
  [{ DATABASE_URL: 'postgres://localhost/x' }, 'must not be set where DATABASE_URL is set'],
  [{ DATABASE_URL_FILE: '/nowhere/a-secret' }, 'names a file that cannot be read: ENOENT'],
  [{ DATABASE_URL_FILE: folder }, 'names a file that cannot be read: EISDIR'],
])('with %o the sentence says what is wrong with the file, not where it is', (env, what) => {
  const refused = () => fromFile(fileOf('postgres://file/x'), env);
  expect(refused).toThrow(
    new SettingsError(`a process: the environment variable DATABASE_URL_FILE ${what}`),
  );
});

test.each([
  ['', 'names a file whose content must not be empty'],
  ['x'.repeat(65_537), 'names a file of more than 65536 bytes'],
])('a file with unfit content is refused without the content', (content, what) => {
  expect(() => fromFile(fileOf(content))).toThrow(
    new SettingsError(`a process: the environment variable DATABASE_URL_FILE ${what}`),
  );
});

test('only secrets come from files', () => {
  const env = { USDC_MINT: undefined, USDC_MINT_FILE: fileOf(GOOD.USDC_MINT) };
  expect(() => parse(env)).toThrow('USDC_MINT is missing');
});

test('an empty variable does not contradict the other one', () => {
  const { DATABASE_URL } = fromFile(fileOf('postgres://file/x'), { DATABASE_URL: '' });
  expect(DATABASE_URL).toBe('postgres://file/x');
  expect(fromFile('', { DATABASE_URL: 'postgres://text/x' }).DATABASE_URL).toBe(
    'postgres://text/x',
  );
});
