import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  commonSettings,
  loopbackServices,
  parseSettings,
  SettingsError,
  wholeNumber,
} from './settings.ts';

const schema = z.object({
  ...commonSettings,
  LOOPBACK_SERVICES: loopbackServices,
  PORT: wholeNumber(8_080, { min: 0, max: 65_535 }),
  SECRET: z.string().min(8).optional(),
  ORIGIN: z.url({ protocol: /^https?$/ }).optional(),
});

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
