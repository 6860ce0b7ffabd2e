import { expect, test } from 'vitest';
import { refuseRequest } from './admit.ts';

const TOKEN = 'x'.repeat(32);
const hosts = ['127.0.0.1', 'localhost', '[::1]'];

test.each([
  { host: '127.0.0.1:3920' },
  { host: 'localhost' },
  { host: 'LOCALHOST:3920' },
  { host: '[::1]:3920' },
])('a program is admitted with %o', (headers) => {
  expect(refuseRequest(headers, { hosts, token: null })).toBeNull();
});

test.each([
  [{}, 403],
  [{ host: '' }, 403],
  [{ host: 'evil.example:3920' }, 403],
  [{ host: 'localhost.evil.example' }, 403],
  [{ host: 'evil.example@localhost' }, 403],
  [{ host: '127.0.0.1:3920', origin: 'https://evil.example' }, 403],
  [{ host: '127.0.0.1:3920', origin: 'null' }, 403],
  [{ host: '127.0.0.1:3920', origin: 'http://127.0.0.1:3920' }, 403],
])('a page or a foreign name is refused with %o', (headers, status) => {
  expect(refuseRequest(headers, { hosts, token: null })).toMatchObject({ status });
});

test.each([
  [undefined, 401],
  ['Bearer ', 401],
  [`Bearer ${TOKEN}y`, 401],
  [TOKEN, 401],
  [`Bearer ${TOKEN}`, null],
])('with a token, the authorization %s gets %s', (authorization, status) => {
  const refused = refuseRequest(
    { host: 'localhost', ...(authorization === undefined ? {} : { authorization }) },
    { hosts, token: TOKEN },
  );
  expect(refused?.status ?? null).toBe(status);
});
