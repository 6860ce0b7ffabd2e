import { deflateSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import type { Part } from '../../parts.ts';
import { type PlainAnswer, send } from '../../plain-http.ts';
import type { Cases } from '../../surface.ts';
import { credentialsFor, listOperations, type Operation, type RequestsWorld } from './world.ts';

const JSON_TYPE = 'application/json';
const BODY_LIMIT = 64 * 1_024;
const DEEP = 30_000;
/** Below the larger limit of POST /v1/spend/service. */
const VERY_DEEP = 100_000;
const LONG = 60_000;
const AT_ONCE = 16;

/** Faults that are somebody else's: the chain does not answer, no worker makes keys. */
const EXCUSED: ReadonlySet<unknown> = new Set(['RPC_UNAVAILABLE', 'SESSION_KEYS_NOT_READY']);

/** Bodies that are no JSON, or too much of it. */
export const bodies: Part<RequestsWorld> = {
  shows: ['prototypes-from-bodies', 'unbounded-bodies'],
  attack: async (cases, world) => {
    await tryBodies(cases, world, () => BROKEN, judgeBroken);
    await cases.try('100 000 levels for a service', async () => {
      const body = `{"slug":"x","max_amount":1,"body":${'['.repeat(VERY_DEEP)}${']'.repeat(VERY_DEEP)}}`;
      const service = { method: 'POST', path: '/v1/spend/service', caller: 'agent' } as const;
      return judgeBroken(await sendBody(world, service, { body }));
    });
    await cases.try('a prototype that was changed', async () => {
      const { text } = await send(world.api, 'GET', '/livez');
      return text === '{"status":"ok"}' ? null : text;
    });
  },
};

/** JSON that has the right form, and something hostile in one place of it. */
export const values: Part<RequestsWorld> = {
  shows: [],
  attack: (cases, world) => tryBodies(cases, world, hostileExamples, judge),
};

async function tryBodies(
  cases: Cases,
  world: RequestsWorld,
  bodiesFor: (example: unknown) => readonly Tried[],
  judgeOne: (answer: PlainAnswer) => string | null,
): Promise<void> {
  const operations = (await listOperations(world)).filter(({ example }) => example !== undefined);
  const tries = operations.flatMap((one) =>
    bodiesFor(one.example).map((tried) => ({ one, tried })),
  );
  for (let first = 0; first < tries.length; first += AT_ONCE) {
    await Promise.all(
      tries
        .slice(first, first + AT_ONCE)
        .map(({ one, tried }) =>
          cases.try(`${one.method} ${one.path} with ${tried.name}`, async () =>
            judgeOne(await sendBody(world, one, tried)),
          ),
        ),
    );
  }
}

type Tried = {
  readonly name: string;
  readonly body: string | Buffer;
  readonly headers?: Record<string, string>;
};

function sendBody(
  world: RequestsWorld,
  { method, path, caller }: Omit<Operation, 'example'>,
  { body, headers = {} }: Omit<Tried, 'name'>,
): Promise<PlainAnswer> {
  return send(world.api, method, path, {
    headers: { 'content-type': JSON_TYPE, ...credentialsFor(world, caller), ...headers },
    body,
  });
}

const judgeBroken = (answer: PlainAnswer): string | null =>
  answer.status < 300 ? `answered ${answer.status}` : judge(answer);

/** What is right may pass; a refusal has its form and is nobody's fault but the caller's. */
function judge({ status, text }: PlainAnswer): string | null {
  if (status < 300) return null;
  const refusal = z.object({ error: z.string(), code: z.string() }).safeParse(jsonOf(text));
  if (!refusal.success) return `answered ${status} with ${text.slice(0, 60)}`;
  const { error, code } = refusal.data;
  return status < 500 || EXCUSED.has(code) ? null : `answered ${status} ${error}`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const nested = (open: string, inner: string, close: string): string =>
  open.repeat(DEEP) + inner + close.repeat(DEEP);

/** None of these is a body that any operation takes. */
const BROKEN: readonly Tried[] = [
  { name: '__proto__', body: '{"__proto__":{"isAdmin":true}}' },
  { name: '__proto__ in escapes', body: '{"\\u005f_proto__":{"isAdmin":true}}' },
  { name: '__proto__ below', body: '{"a":[{"__proto__":{"toJSON":1}}]}' },
  { name: 'constructor.prototype', body: '{"constructor":{"prototype":{"isAdmin":true}}}' },
  { name: 'deep lists', body: nested('[', '', ']') },
  { name: 'deep lists that do not end', body: '['.repeat(BODY_LIMIT - 1) },
  { name: 'a list', body: '[{}]' },
  { name: 'a text', body: '"{}"' },
  { name: 'a number', body: '1' },
  { name: 'true', body: 'true' },
  { name: 'half an object', body: '{"a":' },
  { name: 'two objects', body: '{}{}' },
  { name: 'something behind it', body: '{}x' },
  { name: 'a comment', body: '{/**/}' },
  { name: 'a trailing comma', body: '{"a":1,}' },
  { name: 'single quotes', body: "{'a':1}" },
  { name: 'NaN', body: 'NaN' },
  { name: 'a control character', body: '{"a":"\u{1}"}' },
  { name: 'a NUL behind it', body: '{}\u{0}' },
  { name: 'UTF-16', body: Buffer.from('{}', 'utf16le') },
  {
    name: 'UTF-16 that says so',
    body: Buffer.from('{}', 'utf16le'),
    headers: { 'content-type': 'application/json; charset=utf-16le' },
  },
  { name: 'gzip', body: gzipSync('{}'), headers: { 'content-encoding': 'gzip' } },
  { name: 'deflate', body: deflateSync('{}'), headers: { 'content-encoding': 'deflate' } },
  { name: 'more than fits', body: `{"a":"${'x'.repeat(4 * BODY_LIMIT)}"}` },
  { name: 'more spaces than fit', body: `{}${' '.repeat(4 * BODY_LIMIT)}` },
  { name: 'XML', body: '<a/>', headers: { 'content-type': 'application/xml' } },
  { name: 'two types', body: '{}', headers: { 'content-type': 'text/plain, application/json' } },
  { name: 'a type that is none', body: '{}', headers: { 'content-type': 'application/json/x' } },
];

/** What may stand in place of any text or number, as JSON text. */
const HOSTILE: readonly (readonly [string, string])[] = [
  ['a NUL', '"\\u0000"'],
  ['a NUL behind a URL', '"https://a.example/\\u0000"'],
  ['half a surrogate', '"\\ud800"'],
  ['half a surrogate behind a URL', '"https://a.example/\\udfff"'],
  ['a long text', `"${'a'.repeat(LONG)}"`],
  ['a long URL', `"https://a.example/${'a/'.repeat(LONG / 2)}"`],
  ['a long number', '9'.repeat(LONG)],
  ['a long number in quotes', `"${'9'.repeat(LONG)}"`],
  ['1e400', '1e400'],
  ['-1e400', '-1e400'],
  ['a small fraction', '1e-400'],
  ['2^53 + 1', '9007199254740993'],
  ['2^64', '"18446744073709551616"'],
  ['-0', '-0'],
  ['-1', '-1'],
  ['1.5', '1.5'],
  ['an object', '{"toString":1,"valueOf":1}'],
  ['an object with a then', '{"then":1}'],
  ['a list of lists', '[[[]]]'],
  ['null', 'null'],
  ['a name of the language', '"__proto__"'],
  ['a quote for SQL', '"\'; drop table spend; --"'],
  ['a template', '"${7*7}{{7*7}}<%= 7*7 %>"'],
  ['line breaks', '"a\\r\\nset-cookie: a=b"'],
  ['text that turns', '"\\u202e\\ufeff\\u0130"'],
];

const MARK = 'place-of-the-hostile-value';

/** The right body with one value of it replaced, and with what is in no schema added. */
function hostileExamples(example: unknown): readonly Tried[] {
  const replaced = pathsOf(example).flatMap((path) =>
    HOSTILE.map(([name, text]) => {
      const marked = JSON.stringify(withAt(example, path, MARK));
      return {
        name: `${name} at ${path.join('.')}`,
        body: marked.replace(`"${MARK}"`, () => text),
      };
    }),
  );
  const whole = JSON.stringify(example);
  const more = `${whole.slice(0, -1)}${whole === '{}' ? '' : ','}`;
  const firstName = Object.keys(example ?? {})[0] ?? 'none';
  const names = Array.from({ length: 5_000 }, (_, n) => `"n${n}":0`).join();
  return [
    ...replaced,
    { name: 'its first name twice', body: `${more}"${firstName}":null}` },
    { name: 'a byte order mark', body: `\u{feff}${whole}` },
    { name: 'deep lists beside it', body: `${more}"deep":${nested('[', '', ']')}}` },
    { name: '5 000 names beside it', body: `${more}${names}}` },
    { name: 'a long name beside it', body: `${more}"${'n'.repeat(LONG)}":0}` },
    { name: 'toString beside it', body: `${more}"toString":0,"hasOwnProperty":0,"then":0}` },
  ];
}

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return path.length === 0 ? [] : [path];
  const below = Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, [...path, name]));
  return path.length === 0 ? below : [path, ...below];
}

function withAt(value: unknown, [name, ...rest]: Path, put: unknown): unknown {
  if (name === undefined) return put;
  if (Array.isArray(value)) {
    return value.map((inner: unknown, n) =>
      String(n) === name ? withAt(inner, rest, put) : inner,
    );
  }
  return Object.fromEntries(
    Object.entries(value ?? {}).map(([key, inner]: [string, unknown]) => [
      key,
      key === name ? withAt(inner, rest, put) : inner,
    ]),
  );
}
