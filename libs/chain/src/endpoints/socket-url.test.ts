import { expect, it } from 'vitest';

import { socketUrlOf } from './socket-url.ts';

it.each([
  ['http://127.0.0.1:8899', 'ws://127.0.0.1:8900/'],
  ['https://api.example', 'wss://api.example/'],
  ['https://api.example/v2/key?api-key=secret', 'wss://api.example/v2/key?api-key=secret'],
  ['https://api.example:8443/rpc', 'wss://api.example:8444/rpc'],
])('%s has its WebSocket at %s', (rpcUrl, expected) => {
  expect(socketUrlOf(rpcUrl)).toBe(expected);
});
