import { deflateSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import type { Operation } from '../../http/document.ts';
import type { Part } from '../../parts.ts';
import { type PlainAnswer, send } from '../../plain-http.ts';
import { type Cases, type NamedAttempt, tryAll } from '../../surface.ts';
import { credentialsFor, listOperations, type RequestsWorld } from './world.ts';

const JSON_TYPE = 'application/json';
const BODY_LIMIT = 64 * 1_024;
const DEEP = 30_000;
/** Below the larger limit of POST /v1/spend/service. */
const VERY_DEEP = 100_000;
const LONG = 60_000;
const AT_ONCE = 16;

/** Expected faults: the chain is unreachable, and no worker creates session keys. */
const EXCUSED: ReadonlySet<unknown> = new Set(['RPC_UNAVAILABLE', 'SESSION_KEYS_NOT_READY']);

/** Bodies that are not JSON, or too large. */
export const bodies: Part<RequestsWorld> = {
  shows: ['prototypes-from-bodies', 'unbounded-bodies'],
  attack: async (cases, world) => {
    await tryBodies(cases, world, () => BROKEN, judgeBroken);
    await cases.try('100 000 levels for a service', async () => {
      const body = `{"slug":"x","max_amount":1,"body":${'['.repeat(VERY_DEEP)}${']'.repeat(VERY_DEEP)}}`;
      const service = { method: 'POST', path: '/v1/spend/service', caller: 'agent' } as const;
      return judgeBroken(await sendBody(world, service, { body }));
    });
    await cases.try('a changed prototype', async () => {
      const { text } = await send(world.api, 'GET', '/livez');
      return text === '{"status":"ok"}' ? null : text;
    });
  },
};

/** Valid bodies with one hostile value. */
export const values: Part<RequestsWorld> = {
  shows: [],
  attack: (cases, world) => tryBodies(cases, world, hostileExamples, judge),
};

async function tryBodies(
  cases: Cases,
  world: RequestsWorld,
  bodiesFor: (example: unknown) => readonly Body[],
  judgeOne: (answer: PlainAnswer) => string | null,
): Promise<void> {
  const operations = (await listOperations(world)).filter(({ example }) => example !== undefined);
  const attempts = operations.flatMap((one) =>
    bodiesFor(one.example).map((body): NamedAttempt => [
      `${one.method} ${one.path} with ${body.name}`,
      async () => judgeOne(await sendBody(world, one, body)),
    ]),
  );
  await tryAll(cases, attempts, AT_ONCE);
}

type Body = {
  readonly name: string;
  readonly body: string | Buffer;
  readonly headers?: Record<string, string>;
};

function sendBody(
  world: RequestsWorld,
  { method, path, caller }: Pick<Operation, 'method' | 'path' | 'caller'>,
  { body, headers = {} }: Omit<Body, 'name'>,
): Promise<PlainAnswer> {
  return send(world.api, method, path, {
    headers: { 'content-type': JSON_TYPE, ...credentialsFor(world, caller), ...headers },
    body,
  });
}

const judgeBroken = (answer: PlainAnswer): string | null =>
  answer.status < 300 ? `answered ${answer.status}` : judge(answer);

/** Valid input may succeed. A refusal must have the documented form and blame the caller. */
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

/** Bodies that every operation must refuse. */
const BROKEN: readonly Body[] = [
  { name: '__proto__', body: '{"__proto__":{"isAdmin":true}}' },
  { name: '__proto__ in escapes', body: '{"\\u005f_proto__":{"isAdmin":true}}' },
  { name: '__proto__ below', body: '{"a":[{"__proto__":{"toJSON":1}}]}' },
  { name: 'constructor.prototype', body: '{"constructor":{"prototype":{"isAdmin":true}}}' },
  { name: 'deep lists', body: nested('[', '', ']') },
  { name: 'deep lists without an end', body: '['.repeat(BODY_LIMIT - 1) },
  { name: 'a list', body: '[{}]' },
  { name: 'a text', body: '"{}"' },
  { name: 'a number', body: '1' },
  { name: 'true', body: 'true' },
  { name: 'half an object', body: '{"a":' },
  { name: 'two objects', body: '{}{}' },
  { name: 'text behind it', body: '{}x' },
  { name: 'a comment', body: '{/**/}' },
  { name: 'a trailing comma', body: '{"a":1,}' },
  { name: 'single quotes', body: "{'a':1}" },
  { name: 'NaN', body: 'NaN' },
  { name: 'a control character', body: '{"a":"\u{1}"}' },
  { name: 'a NUL behind it', body: '{}\u{0}' },
  { name: 'UTF-16', body: Buffer.from('{}', 'utf16le') },
  {
    name: 'declared UTF-16',
    body: Buffer.from('{}', 'utf16le'),
    headers: { 'content-type': 'application/json; charset=utf-16le' },
  },
  { name: 'gzip', body: gzipSync('{}'), headers: { 'content-encoding': 'gzip' } },
  { name: 'deflate', body: deflateSync('{}'), headers: { 'content-encoding': 'deflate' } },
  { name: 'a body above the limit', body: `{"a":"${'x'.repeat(4 * BODY_LIMIT)}"}` },
  { name: 'spaces above the limit', body: `{}${' '.repeat(4 * BODY_LIMIT)}` },
  { name: 'XML', body: '<a/>', headers: { 'content-type': 'application/xml' } },
  { name: 'two types', body: '{}', headers: { 'content-type': 'text/plain, application/json' } },
  {
    name: 'an invalid content type',
    body: '{}',
    headers: { 'content-type': 'application/json/x' },
  },
];

/** JSON text to put in place of any string or number. */
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
  ['the name of a property of Object', '"__proto__"'],
  ['a quote for SQL', '"\'; drop table spend; --"'],
  ['a template', '"${7*7}{{7*7}}<%= 7*7 %>"'],
  ['line breaks', '"a\\r\\nset-cookie: a=b"'],
  ['bidirectional text', '"\\u202e\\ufeff\\u0130"'],
];

const MARK = 'place-of-the-hostile-value';

/** Returns the valid body with one value replaced, or with additions outside its schema. */
function hostileExamples(example: unknown): readonly Body[] {
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
