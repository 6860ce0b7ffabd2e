import { callApi } from '../../../support/http/http-owner.ts';
import type { Part } from '../../parts.ts';
import { exchangeRaw } from '../../raw-http.ts';
import type { RequestsWorld } from './world.ts';

const SLOW_CONNECTIONS = 200;
/** The API's request timeout plus its check interval. */
const SLOW_MS = 25_000;

/** Unfinished requests hold their connection for a bounded time and do not delay others. */
export const slowness: Part<RequestsWorld> = {
  shows: [],
  attack: async (cases, { api, apiKey }) => {
    const head = `POST /v1/spend/transfer HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n`;
    const unfinished = {
      'half a first line': 'GET /li',
      'half a head': head,
      'half a body': `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      'half a chunk': `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n{`,
    };
    const forms = Object.entries(unfinished);
    const slow = forms.flatMap(([name, bytes]) =>
      Array.from({ length: SLOW_CONNECTIONS / forms.length }, async () => ({
        name,
        ...(await exchangeRaw(api, bytes, { timeoutMs: SLOW_MS })),
      })),
    );
    await cases.try(`others beside ${slow.length} slow requests`, async () => {
      const headers = { authorization: `Bearer ${apiKey}` };
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => callApi(api, 'GET', '/v1/services', { headers })),
      );
      const held = answers.filter(({ status }) => status !== 200).length;
      return held === 0 ? null : `${held} were not served`;
    });
    const ended = await Promise.all(slow);
    for (const [name] of forms) {
      await cases.try(`${name}, for ever`, () => {
        const open = ended.filter((one) => one.name === name && !one.isClosed).length;
        return open === 0 ? null : `${open} connections are still open after ${SLOW_MS} ms`;
      });
    }
  },
};
