import { expect, it } from 'vitest';

import { parseRpcUrls, parseSocketUrls } from './rpc-urls.ts';

it.each<[string, readonly string[] | null]>([
  ['http://localhost:8899', ['http://localhost:8899']],
  ['https://a.example/key, https://b.example', ['https://a.example/key', 'https://b.example']],
  ['', null],
  ['localhost:8899', null],
  ['ws://localhost:8900', null],
  ['https://a.example,', null],
  ['https://a.example,https://a.example/', null],
  [Array.from({ length: 9 }, (_, i) => `http://n${i}.example`).join(','), null],
])('%s', (text, expected) => {
  expect(parseRpcUrls(text)).toEqual(expected);
});

it.each<[string, readonly string[] | null]>([
  ['ws://localhost:8900, wss://a.example/key', ['ws://localhost:8900', 'wss://a.example/key']],
  ['http://localhost:8899', null],
  ['', null],
])('WebSockets %s', (text, expected) => {
  expect(parseSocketUrls(text)).toEqual(expected);
});
