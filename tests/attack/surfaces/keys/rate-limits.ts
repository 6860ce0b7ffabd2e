import { callApi, type HttpAnswer } from '../../../support/http/http-owner.ts';
import type { Part } from '../../parts.ts';
import { type KeysWorld, STRICT_BURST, STRICT_SIGN_INS } from './world.ts';

const ASKED = 60;

/** Headers by which a caller could claim another address each time. */
const DISGUISES: readonly ((n: number) => Record<string, string>)[] = [
  () => ({}),
  (n) => ({ 'x-forwarded-for': `203.0.113.${n}` }),
  (n) => ({ 'x-forwarded-for': `203.0.113.${n}, 127.0.0.1` }),
  (n) => ({ forwarded: `for=203.0.113.${n}` }),
  (n) => ({ 'x-real-ip': `203.0.113.${n}`, 'client-ip': `203.0.113.${n}` }),
  (n) => ({ 'true-client-ip': `203.0.113.${n}`, 'cf-connecting-ip': `203.0.113.${n}` }),
];

/** Ways around the limits: other addresses, rotated keys. */
export const rateLimits: Part<KeysWorld> = {
  shows: ['any-forwarded-address'],
  attack: async (cases, { api, strict, owner }) => {
    for (const path of ['/v1/auth/siws/nonce', '/v1/auth/siws']) {
      // All disguises share one bucket.
      const startedMs = performance.now();
      let passed = 0;
      for (const disguise of DISGUISES) {
        await cases.try(`${ASKED} calls of ${path} as ${describe(disguise(1))}`, async () => {
          passed += countPassed(
            await requestMany((n) =>
              callApi(strict, 'POST', path, { body: {}, headers: disguise(n) }),
            ),
          );
          const refilled = ((performance.now() - startedMs) / 60_000) * STRICT_SIGN_INS;
          const most = Math.ceil(STRICT_SIGN_INS + refilled);
          return passed > most ? `${passed} passed instead of ${most}` : null;
        });
      }
    }
    const session = await owner.createSession({ recipients: [] });
    const startedMs = performance.now();
    const position = (apiKey: string, headers = {}) =>
      callApi(strict, 'GET', '/v1/yield/position', {
        headers: { authorization: `Bearer ${apiKey}`, ...headers },
      });
    const most = () => Math.ceil(STRICT_BURST + (performance.now() - startedMs) / 1_000);
    let passed = 0;
    await cases.try(`${ASKED} calls with one key`, async () => {
      passed += countPassed(
        await requestMany((n) => position(session.apiKey, { 'x-forwarded-for': `203.0.113.${n}` })),
      );
      return passed > most() ? `${passed} passed instead of ${most()}` : null;
    });
    await cases.try('a rotated key begins anew', async () => {
      const path = `/v1/session/${session.sessionId}/rotate-key`;
      const rotated = await callApi(api, 'POST', path, { headers: { cookie: owner.cookie } });
      const apiKey = String(rotated.body['api_key']);
      passed += countPassed(await requestMany(() => position(apiKey)));
      return passed > most() ? `${passed} passed instead of ${most()}` : null;
    });
  },
};

const requestMany = (request: (n: number) => Promise<HttpAnswer>): Promise<HttpAnswer[]> =>
  Promise.all(Array.from({ length: ASKED }, (_, n) => request(n)));

const countPassed = (answers: readonly HttpAnswer[]): number =>
  answers.filter(({ status }) => status !== 429).length;

const describe = (headers: Record<string, string>): string =>
  Object.keys(headers).join(' and ') || 'itself';
