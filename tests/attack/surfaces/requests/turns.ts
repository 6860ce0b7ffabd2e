import type { Part } from '../../parts.ts';
import { exchangeRaw } from '../../raw-http.ts';
import type { RequestsWorld } from './world.ts';

const PIPELINED = 40;
/** How long the API waits for the absent worker before it answers. */
const WAIT_SECONDS = 2;

/** Pipelined requests: answers in another order, or to another request. */
export const turns: Part<RequestsWorld> = {
  shows: ['answers-out-of-turn'],
  attack: async (cases, world) => {
    const { api } = world;
    for (const after of [
      'NONSENSE\r\n\r\n',
      'GET /livez HTTP/1.1\r\nBad\x00: x\r\n\r\n',
      'x'.repeat(20_000),
    ]) {
      await cases.try(`a spend, and ${JSON.stringify(after.slice(0, 12))} behind it`, async () => {
        const { answers } = await exchangeRaw(api, spend(world) + after);
        const [first] = answers;
        // No answer leaves the spend open. The answer to the garbage would say that it failed.
        return first === undefined || first.headers.get('x-request-id') === 'the-spend'
          ? null
          : `the spend was answered ${first.status}: ${first.body}`;
      });
    }
    await cases.try(`${PIPELINED} requests in one go`, async () => {
      const ids = Array.from({ length: PIPELINED }, (_, n) => `turn-${n}`);
      const bytes = ids.map((id, n) => {
        const path = n % 2 === 0 ? '/livez' : '/v1/wallet';
        const last = n === PIPELINED - 1 ? 'Connection: close\r\n' : '';
        return `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n${last}\r\n`;
      });
      const { answers } = await exchangeRaw(api, bytes.join(''));
      const got = answers.map(({ headers, status }) => `${headers.get('x-request-id')} ${status}`);
      const wanted = ids.map((id, n) => `${id} ${n % 2 === 0 ? 200 : 401}`);
      return got.join() === wanted.join() ? null : `answered ${got.length} in another order`;
    });
  },
};

const spend = ({ apiKey, recipient }: RequestsWorld): string => {
  const body = JSON.stringify({ recipient, amount: 1 });
  return [
    'POST /v1/spend/transfer HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${apiKey}`,
    'Content-Type: application/json',
    `Prefer: wait=${WAIT_SECONDS}`,
    'X-Request-Id: the-spend',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
};
