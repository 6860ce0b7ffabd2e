import type { Part } from '../../parts.ts';
import { exchangeRaw, type RawAnswers } from '../../raw-http.ts';
import type { RequestsWorld } from './world.ts';

const HIDDEN_ID = 'hidden-request';
/** A request that hides in the body of another and must not be served. */
const HIDDEN = `GET /livez HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${HIDDEN_ID}\r\n\r\n`;
const CLOSE = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const PATH = '/v1/auth/siws/nonce';
/** For requests that wait for more bytes; `slowness.ts` tests how long they may. */
const PATIENCE_MS = 3_000;

/** Request smuggling: requests whose end two parsers could see in different places. */
export const framing: Part<RequestsWorld> = {
  shows: ['lenient-http'],
  attack: async (cases, { api }) => {
    const all = [...lengths(), ...chunks(), ...lines(), ...requestLines()];
    await Promise.all(
      all.map(([name, bytes]) =>
        cases.try(name, async () =>
          judge(await exchangeRaw(api, bytes + CLOSE, { timeoutMs: PATIENCE_MS })),
        ),
      ),
    );
  },
};

/** The request must be refused, or read as one without the hidden request. */
function judge({ answers, rest }: RawAnswers): string | null {
  if (answers.some(({ headers }) => headers.get('x-request-id') === HIDDEN_ID)) {
    return 'the hidden request was answered';
  }
  const faults = answers.filter(({ status }) => status >= 500 && status !== 505);
  if (faults.length > 0) return `answered ${faults[0]?.status}`;
  return rest === '' ? null : `a malformed answer: ${rest.slice(0, 40)}`;
}

type Named = readonly [string, string];

const post = (headers: readonly string[], body: string): string =>
  [`POST ${PATH} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...headers, '', body].join(
    '\r\n',
  );

const chunked = `0\r\n\r\n${HIDDEN}`;
const LENGTH = `Content-Length: ${chunked.length}`;

const ODD_LENGTHS = (
  '+5|-1|0x5|5 5|5,5|5, 0|5;|1e1|5.0||18446744073709551621|99999999999999999999999|' +
  '\u{b2}|0\x0b'
).split('|');
const ODD_SIZES =
  '0x0|-1|+0|0 | 0|0_0|FFFFFFFFFFFFFFFF|10000000000000000|0;a\n|0;\x00|0\n|0\r|g'.split('|');
const ODD_CODINGS = (
  'xchunked|chunkedx|chunked, identity|identity, chunked|chunked, chunked|gzip, chunked|identity|' +
  'chunk ed|"chunked"|chunked;q=1|\x0bchunked|chunked\x0b|\u{a0}chunked|cow|' +
  'chunked\r\nTransfer-Encoding: identity|identity\r\nTransfer-Encoding: chunked|\r\n chunked|'
).split('|');

/** Conflicting and invalid lengths. */
function lengths(): readonly Named[] {
  return [
    ['a length and chunks', post([LENGTH, 'Transfer-Encoding: chunked'], chunked)],
    ['chunks and a length', post(['Transfer-Encoding: chunked', LENGTH], chunked)],
    ['no length and chunks', post(['Content-Length: 0', 'Transfer-Encoding: chunked'], chunked)],
    ['two lengths', post(['Content-Length: 0', LENGTH], chunked)],
    ['two lengths, the longer first', post([LENGTH, 'Content-Length: 0'], chunked)],
    ['one length twice', post([LENGTH, LENGTH], chunked)],
    ['a length over two lines', post(['Content-Length: 0\r\n 5'], HIDDEN)],
    ['a length before a space', post([`Content-Length : ${HIDDEN.length}`], HIDDEN)],
    ['a length with a CR in its name', post([`Content-Length\r: ${HIDDEN.length}`], HIDDEN)],
    ...ODD_LENGTHS.map((value): Named => [
      `a length of ${JSON.stringify(value)}`,
      post([`Content-Length: ${value}`], HIDDEN),
    ]),
  ];
}

/** Transfer codings that one parser takes for chunked and another does not. */
function chunks(): readonly Named[] {
  const chunkedPost = (body: string): string => post(['Transfer-Encoding: chunked'], body);
  return [
    ...ODD_CODINGS.map((coding): Named => [
      `coding ${JSON.stringify(coding)} beside a length`,
      post([`Transfer-Encoding: ${coding}`, LENGTH], chunked),
    ]),
    ['a coding before a space', post(['Transfer-Encoding : chunked', LENGTH], chunked)],
    [
      'a coding in HTTP/1.0',
      post(['Transfer-Encoding: chunked', LENGTH], chunked).replace('1.1', '1.0'),
    ],
    ...ODD_SIZES.map((size): Named => [
      `a chunk of size ${JSON.stringify(size)}`,
      chunkedPost(`${size}\r\n\r\n${HIDDEN}`),
    ]),
    ['a chunk longer than its size', chunkedPost(`2\r\n{}xx\r\n0\r\n\r\n`)],
    ['a chunk that ends in LF', chunkedPost(`2\r\n{}\n0\r\n\r\n${HIDDEN}`)],
    ['chunks that end in LF', chunkedPost(`2\n{}\n0\n\n${HIDDEN}`)],
    [
      'a chunk extension of 20 000 characters',
      chunkedPost(`2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
    ],
    [
      'an extension with a line feed in quotes',
      chunkedPost(`2;a="\n"\r\n{}\r\n0\r\n\r\n${HIDDEN}`),
    ],
    [
      'a length as a trailer',
      chunkedPost(`2\r\n{}\r\n0\r\nContent-Length: 100\r\nTransfer-Encoding: x\r\n\r\n`),
    ],
  ];
}

const get = (header: string): string => `GET /livez HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`;

/** Invalid line ends, folds and characters in headers. */
function lines(): readonly Named[] {
  return [
    ['lines that end in LF', post([LENGTH], chunked).replaceAll('\r\n', '\n')],
    ['lines that end in CR', get('X: y').replaceAll('\r\n', '\r')],
    ['a CR in a value', get(`X: a\rX-Request-Id: ${HIDDEN_ID}`)],
    ['a LF in a value', get('X: a\n\nGET /livez HTTP/1.1')],
    ['a NUL in a value', get('X: a\x00b')],
    ['a NUL in a name', get('X\x00: a')],
    ['a folded value', get('X: a\r\n b')],
    ['a fold before the first header', 'GET /livez HTTP/1.1\r\n X: a\r\nHost: x\r\n\r\n'],
    ['a line without a colon', get('nonsense')],
    ['a header without a name', get(': a')],
    ['a space in a name', get('X Y: a')],
    ['a space after a name', get('Authorization : Bearer x')],
    ['a name outside ASCII', get('\u{e9}: a')],
    ['a name in brackets', get('(X): a')],
    ['two hosts', get('Host: evil.example')],
    ['no host', 'GET /livez HTTP/1.1\r\n\r\n'],
    ['a value of 20 000 characters', get(`X: ${'a'.repeat(20_000)}`)],
    ['5 000 headers', get(Array.from({ length: 5_000 }, (_, n) => `x${n}:`).join('\r\n'))],
    ['2 500 headers', get(Array.from({ length: 2_500 }, () => 'a:').join('\r\n'))],
    ['an unknown expectation', get('Expect: nonsense')],
    ['an upgrade', get('Connection: upgrade\r\nUpgrade: websocket')],
    [
      'an upgrade to HTTP/2',
      get('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk'),
    ],
    ['a connection header that names others', get('Connection: close, content-length, host')],
  ];
}

/** Invalid first lines, and unusual request targets. */
function requestLines(): readonly Named[] {
  const odd = [
    'get /livez HTTP/1.1',
    'GETX /livez HTTP/1.1',
    'GET  /livez HTTP/1.1',
    'GET\t/livez\tHTTP/1.1',
    'GET /livez',
    'GET /livez HTTP/1.2',
    'GET /livez HTTP/2.0',
    'GET /livez HTTP/9.9',
    'GET /livez HTTP/1.10',
    'GET /livez http/1.1',
    'GET /livez ICE/1.0',
    'GET /livez HTTP/1.1 x',
    'GET /li vez HTTP/1.1',
    'GET /livez\x00 HTTP/1.1',
    'GET livez HTTP/1.1',
    'GET \\livez HTTP/1.1',
    'GET * HTTP/1.1',
    'OPTIONS * HTTP/1.1',
    'TRACE /livez HTTP/1.1',
    'CONNECT evil.example:443 HTTP/1.1',
    'PRI * HTTP/2.0',
    'GET http:// HTTP/1.1',
    'GET http://evil.example/v1/wallet HTTP/1.1',
    'GET https://x/livez HTTP/1.1',
    'GET //evil.example/livez HTTP/1.1',
    'GET /livez#a HTTP/1.1',
    'GET /livez?%zz HTTP/1.1',
    'GET /%c0%ae%c0%ae/livez HTTP/1.1',
    'GET /\u{e9} HTTP/1.1',
    'GET /%00 HTTP/1.1',
    'GET ?a HTTP/1.1',
    ' GET /livez HTTP/1.1',
    '\x16\x03\x01\x02',
    '',
  ];
  return [
    ...odd.map((line): Named => [
      `the first line ${JSON.stringify(line)}`,
      `${line}\r\nHost: x\r\n\r\n`,
    ]),
    ...[8_000, 15_000, 40_000].flatMap((count): readonly Named[] => [
      [`a path of ${count} characters`, `GET /${'a'.repeat(count)} HTTP/1.1\r\nHost: x\r\n\r\n`],
      [
        `a query of ${count} characters`,
        `GET /livez?${'a=&'.repeat(count / 3)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      ],
      [
        `an id of ${count} characters`,
        `GET /v1/spend/${'%41'.repeat(count / 3)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      ],
    ]),
  ];
}
