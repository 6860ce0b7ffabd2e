import { createSocket, type RemoteInfo } from 'node:dgram';
import { afterEach, expect, test } from 'vitest';

import { createDnsResolve, type Resolve } from './egress-address.ts';

const TYPE_A = 1;
const TYPE_AAAA = 28;
const NO_ERROR = 0;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

type Answer = { readonly code: number; readonly addresses: readonly Buffer[] } | 'silence';

/** A name server on loopback that answers by the type of the question. */
async function serve(answerTo: (type: number) => Answer): Promise<Resolve> {
  const socket = createSocket('udp4');
  socket.on('message', (question: Buffer, from: RemoteInfo) => {
    const end = question.indexOf(0, 12) + 5;
    const type = question.readUInt16BE(end - 4);
    const answer = answerTo(type);
    if (answer === 'silence') return;
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8180 + answer.code, 2);
    head.writeUInt16BE(answer.addresses.length, 6);
    head.writeUInt32BE(0, 8);
    const records = answer.addresses.map((address) => {
      const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length]);
      return Buffer.concat([record, address]);
    });
    const reply = Buffer.concat([head, question.subarray(12, end), ...records]);
    socket.send(reply, from.port, from.address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve);
  });
  stops.push(() => socket.close());
  return createDnsResolve([`127.0.0.1:${socket.address().port}`]);
}

const found = (...addresses: readonly Buffer[]): Answer => ({ code: NO_ERROR, addresses });
const none = (code: number): Answer => ({ code, addresses: [] });
const PUBLIC = Buffer.from([8, 8, 8, 8]);
const PRIVATE = Buffer.from([10, 0, 0, 1]);
const PUBLIC_6 = Buffer.from('26064700470000000000000000001111', 'hex');
const never = new AbortController().signal;

test('a host has the addresses of both families, private ones too', async () => {
  const resolve = await serve((type) =>
    type === TYPE_A ? found(PUBLIC, PRIVATE) : found(PUBLIC_6),
  );
  expect(new Set(await resolve('service.example', never))).toEqual(
    new Set(['8.8.8.8', '10.0.0.1', '2606:4700:4700::1111']),
  );
});

test.each([
  ['has none of the other family', none(NO_ERROR)],
  ['is not known for the other family', none(NO_SUCH_NAME)],
  ['has a server that fails for the other family', none(SERVER_FAILURE)],
])('a host that %s has the addresses of the one', async (_case, other) => {
  const resolve = await serve((type) => (type === TYPE_AAAA ? found(PUBLIC_6) : other));
  expect(await resolve('service.example', never)).toEqual(['2606:4700:4700::1111']);
});

test('a host that nobody knows has none', async () => {
  const resolve = await serve(() => none(NO_SUCH_NAME));
  expect(await resolve('service.example', never)).toEqual([]);
});

test('a name server that says nothing is waited for as long as the caller waits', async () => {
  const giveUp = new AbortController();
  const resolve = await serve(() => {
    giveUp.abort(new Error('enough'));
    return 'silence';
  });
  await expect(resolve('service.example', giveUp.signal)).rejects.toThrow('enough');
});
