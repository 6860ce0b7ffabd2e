import { readdirSync, readFileSync } from 'node:fs';
import { type Context, createContext, runInContext } from 'node:vm';
import type { Part } from '../../parts.ts';
import { send } from '../../plain-http.ts';
import type { RequestsWorld } from './world.ts';

const ROOT = new URL('../../../../', import.meta.url);
/** Code that parses input from outside. */
const FOLDERS = ['apps/api/src/', 'libs/contract/src/', 'libs/policy/src/'];
const LITERAL =
  /(?<=[(,=:!&|?]\s*)\/(?![/*])((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n[])+)\/([dgimsuvy]*)(?=[.,;)\s])/g;
/** The longest possible input. */
const INPUT_CHARS = 65_536;
/** A linear pattern needs far less, one that backtracks far more. */
const MOST_MS = 1_500;
const WELL_KNOWN = ['a', 'A', '0', ' ', '.', '-', '/', '%', '=', ':', ',', ';', 'svc_', '*', '::'];
const HEADER_CHARS = 12_000;
const ANSWER_MS = 10_000;

/** Patterns that backtrack catastrophically on text that almost matches. */
export const patterns: Part<RequestsWorld> = {
  shows: ['slow-pattern'],
  attack: async (cases, world) => {
    for (const [where, pattern, flags] of listPatterns()) {
      await cases.try(`${where} /${pattern}/${flags}`, () => tryPattern(pattern, flags));
    }
    let isServed = true;
    for (const [name, headers, path = '/v1/yield/position'] of hostileHeaders(world)) {
      // An API that no longer answers cannot be attacked further.
      if (!isServed) break;
      await cases.try(`${name}, and the next request`, async () => {
        const read = send(world.api, 'GET', path, { headers }).catch(() => null);
        const posted = send(world.api, 'POST', '/v1/spend/transfer', {
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ recipient: world.recipient, amount: 1 }),
        }).catch(() => null);
        const next = await Promise.race([
          Promise.all([read, posted]).then(() => send(world.api, 'GET', '/livez')),
          new Promise<null>((resolve) => setTimeout(resolve, ANSWER_MS, null)),
        ]);
        isServed = next?.status === 200;
        return isServed ? null : `the api does not answer for ${ANSWER_MS} ms`;
      });
    }
  },
};

type Found = readonly [where: string, pattern: string, flags: string];

function listPatterns(): readonly Found[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .flatMap((file) => {
        const lines = readFileSync(new URL(folder + file, ROOT), 'utf8').split('\n');
        const code = lines.filter((line) => !/^\s*(\/?\*|\/\/)/.test(line)).join('\n');
        return [...code.matchAll(LITERAL)].map(([, pattern = '', flags = '']): Found => [
          file,
          pattern,
          flags.replace('g', ''),
        ]);
      }),
  );
}

function isSlow(context: Context): boolean {
  try {
    runInContext('pattern.test(text)', context, { timeout: MOST_MS });
    return false;
  } catch {
    return true;
  }
}

/** Matches texts of full length that begin like a match and fail at their end. */
function tryPattern(pattern: string, flags: string): string | null {
  const context = createContext({ pattern: new RegExp(pattern, flags), text: '' });
  const letters = [...new Set(pattern.replaceAll(/\\[a-zA-Z]/g, ''))];
  const begin = /^\^?((?:\\[/.]|[\w ':/])+)/.exec(pattern)?.[1]?.replaceAll('\\', '') ?? '';
  for (const pump of new Set([...WELL_KNOWN, ...letters, begin.slice(-1) || 'a'])) {
    for (const start of ['', begin]) {
      const run = pump.repeat(INPUT_CHARS / pump.length);
      context['text'] = `${start}${run}\n\u{1}`;
      // Twice, because another process may have taken the time of the first.
      if (isSlow(context) && isSlow(context)) {
        return `more than ${MOST_MS} ms for ${INPUT_CHARS} of ${JSON.stringify(pump)}`;
      }
    }
  }
  return null;
}

type Sent = readonly [name: string, headers: Record<string, string>, path?: string];

const long = (text: string): string => text.repeat(HEADER_CHARS / text.length);

/** Returns long texts that almost match, for every header and path that a pattern reads. */
function hostileHeaders({ apiKey, owner, sessionId }: RequestsWorld): readonly Sent[] {
  const key = { authorization: `Bearer ${apiKey}`, prefer: 'respond-async' };
  const cookie = { cookie: owner.cookie };
  return [
    ['Authorization of spaces', { authorization: `Bearer${long(' ')}x y` }],
    ['Authorization of keys', { authorization: `Bearer ${long('svc_dev_')} y` }],
    ['Idempotency-Key that ends in a space', { ...key, 'idempotency-key': `${'a'.repeat(200)} b` }],
    ['Idempotency-Key, long', { ...key, 'idempotency-key': `${long('a')} b` }],
    ['Prefer', { ...key, prefer: long('wait=1,') }],
    ['Prefer of semicolons', { ...key, prefer: `${long(';=;')},respond-async` }],
    ['X-Request-Id', { ...key, 'x-request-id': `${long('a.-')} ` }],
    ['Cookie of equals signs', { cookie: long('=;') }, '/v1/wallet'],
    ['Cookie of percent signs', { cookie: `svc_session=${long('%25')}` }, '/v1/wallet'],
    ['Cookie of dots', { cookie: `svc_session=${long('a.')}` }, '/v1/wallet'],
    ['Origin', { ...cookie, origin: `http://${long('a.')}` }, '/v1/wallet'],
    ['Accept-Encoding', { ...key, 'accept-encoding': long('gzip;q=0.1,') }],
    ['a session in the path', cookie, `/v1/session/${'0-'.repeat(50)}`],
    ['a spend in the path', key, `/v1/spend/${'a'.repeat(99)}!`],
    ['a cursor', cookie, `/v1/audit?cursor=${long('YTEu')}`],
    ['a limit', cookie, `/v1/audit?limit=${long('1')}x`],
    ['a session in the query', cookie, `/v1/audit?session_id=${long(sessionId)}`],
    ['many parts of a query', cookie, `/v1/audit?${long('a=b&')}`],
  ];
}
