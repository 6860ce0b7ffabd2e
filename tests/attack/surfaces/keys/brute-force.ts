import { createHash, createHmac, randomBytes } from 'node:crypto';
import { sql } from 'slonik';
import { z } from 'zod';
import { callApi } from '../../../support/http/http-owner.ts';
import type { Part } from '../../parts.ts';
import { send } from '../../plain-http.ts';
import type { Cases } from '../../surface.ts';
import type { KeysWorld } from './world.ts';

const PREFIX = 'svc_dev_';
const RANDOM_KEYS = 1_000;
const AT_ONCE = 25;
const PATH = '/v1/yield/position';
const MEASURED = 120;
const ROUNDS = 3;
/** Far above the noise of a loaded machine, far below the effect of a byte-wise comparison. */
const SLOWER = 3;

/** Nearly right keys, keys in other places, and what is stored of a key. */
export const bruteForce: Part<KeysWorld> = {
  shows: ['hash-of-half-a-key'],
  attack: async (cases, world) => {
    const { apiKey, sessionId } = await world.owner.createSession({ recipients: [] });
    for (const [name, authorization] of wrongHeaders(apiKey)) {
      await cases.try(name, () => getWith(world, { authorization }));
    }
    for (const [name, headers] of otherPlaces(apiKey)) {
      await cases.try(name, () => getWith(world, headers));
    }
    await tryStored(cases, world, apiKey, sessionId);
    await cases.try(`${RANDOM_KEYS} random keys of the right form`, () => tryRandom(world));
    await cases.try('a nearly right key takes no longer than a wrong one', () =>
      compareTimes(world, apiKey),
    );
    await cases.try('the right key still opens after all of that', async () =>
      (await getWith(world, { authorization: `Bearer ${apiKey}` })) === null ? 'locked out' : null,
    );
  },
};

/** Null when the api returns 401, else the status. */
async function getWith(
  { api }: KeysWorld,
  headers: Record<string, string>,
): Promise<string | null> {
  const { status } = await send(api, 'GET', PATH, { headers });
  return status === 401 ? null : `answered ${status}`;
}

function wrongHeaders(apiKey: string): (readonly [string, string])[] {
  const flipped = Array.from({ length: apiKey.length - PREFIX.length }, (_, i) => {
    const at = PREFIX.length + i;
    const other = apiKey[at] === 'A' ? 'B' : 'A';
    return [`character ${at} changed`, apiKey.slice(0, at) + other + apiKey.slice(at + 1)] as const;
  });
  const cut = [1, 2, 4, 8, 16, 42, 43].flatMap((count) => [
    [`${count} characters short`, apiKey.slice(0, -count)] as const,
    [`${count} characters long`, apiKey + 'A'.repeat(count)] as const,
  ]);
  const secret = apiKey.slice(PREFIX.length);
  const bytes = Buffer.from(secret, 'base64url');
  const spelt: (readonly [string, string])[] = [
    ['in capitals', PREFIX + secret.toUpperCase()],
    ['in small letters', PREFIX + secret.toLowerCase()],
    ['the prefix in capitals', `SVC_DEV_${secret}`],
    ['of the main network', `svc_prod_${secret}`],
    ['twice the prefix', PREFIX + apiKey],
    ['without the prefix', secret],
    ['padded as base64', `${apiKey}=`],
    ['as base64', PREFIX + bytes.toString('base64')],
    ['as hex', PREFIX + bytes.toString('hex')],
    ['percent-encoded', PREFIX + [...bytes].map((byte) => `%${byte.toString(16)}`).join('')],
    ['in quotes', `"${apiKey}"`],
    ['with a comma', `${apiKey},`],
    ['with a semicolon', `${apiKey};`],
    ['with a no-break space', `${apiKey}\u{a0}`],
    ['with a letter outside ASCII', `${apiKey}\u{e9}`],
    ['with a NUL escaped', `${apiKey}%00`],
    ['a wildcard', `${PREFIX}%`],
    ['a quote for SQL', `${PREFIX}' or '1'='1`],
    ['the prefix alone', PREFIX],
    ['of ten thousand characters', PREFIX + 'A'.repeat(10_000)],
  ];
  const keys = [...flipped, ...cut, ...spelt].filter(([, key]) => key !== apiKey);
  return [
    ...keys.map(([name, key]) => [`a key ${name}`, `Bearer ${key}`] as const),
    ['two keys', `Bearer ${apiKey} ${apiKey}`],
    ['two headers in one', `Bearer ${apiKey}, Bearer ${apiKey}`],
    ['another scheme', `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`],
    ['a scheme that begins alike', `BearerX ${apiKey}`],
    ['no scheme', apiKey],
    ['no space', `Bearer${apiKey}`],
    ['nothing', 'Bearer '],
  ];
}

const otherPlaces = (apiKey: string): (readonly [string, Record<string, string>])[] => [
  ['a key as x-api-key', { 'x-api-key': apiKey }],
  ['a key as a cookie', { cookie: `svc_session=${apiKey}; api_key=${apiKey}` }],
  ['a key for the proxy', { 'proxy-authorization': `Bearer ${apiKey}` }],
];

const storedRow = z.object({ keyHash: z.instanceof(Buffer), keyPrefix: z.string() });

/** The stored row is no key, and does not verify guesses. */
async function tryStored(
  cases: Cases,
  world: KeysWorld,
  apiKey: string,
  sessionId: string,
): Promise<void> {
  const { keyHash, keyPrefix } = await world.db.one(sql.type(storedRow)`
    select key_hash as "keyHash", key_prefix as "keyPrefix" from api_key
    where session_id = ${sessionId}::uuid
  `);
  const seen = {
    'what is stored of it, in hex': keyHash.toString('hex'),
    'what is stored of it': keyHash.toString('base64url'),
    'its beginning': keyPrefix,
    'its session': sessionId,
  };
  for (const [name, text] of Object.entries(seen)) {
    for (const token of [text, PREFIX + text]) {
      await cases.try(`${name} as a key`, () =>
        getWith(world, { authorization: `Bearer ${token}` }),
      );
    }
  }
  await cases.try('an owner’s cookie as a key', () =>
    getWith(world, { authorization: `Bearer ${world.owner.cookie.split('=')[1]}` }),
  );
  const guesses = [apiKey, apiKey.slice(PREFIX.length)].flatMap((text) => [
    createHash('sha256').update(text).digest(),
    createHash('sha512').update(text).digest().subarray(0, 32),
    createHmac('sha256', '').update(text).digest(),
  ]);
  await cases.try('the stored hash can be computed without the pepper', () =>
    guesses.some((guess) => guess.equals(keyHash)) ? 'a plain hash' : null,
  );
}

async function tryRandom(world: KeysWorld): Promise<string | null> {
  let opened = 0;
  for (let tried = 0; tried < RANDOM_KEYS; tried += AT_ONCE) {
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () =>
        callApi(world.api, 'GET', PATH, {
          headers: { authorization: `Bearer ${PREFIX}${randomBytes(32).toString('base64url')}` },
        }),
      ),
    );
    opened += answers.filter(({ status }) => status !== 401).length;
  }
  return opened === 0 ? null : `${opened} were not refused`;
}

/**
 * What could tell a near miss apart is a comparison of the key itself. The lookup goes by a keyed
 * hash, under which near and far misses are equally far; this is only the coarse look from outside.
 */
async function compareTimes(world: KeysWorld, apiKey: string): Promise<string | null> {
  const near = `${apiKey.slice(0, -2)}${apiKey.endsWith('AA') ? 'BB' : 'AA'}`;
  const far = `${PREFIX}${randomBytes(32).toString('base64url')}`;
  for (let round = 0; round < ROUNDS; round += 1) {
    const times: { near: number[]; far: number[] } = { near: [], far: [] };
    for (let i = 0; i < MEASURED; i += 1) {
      const [kind, key] = i % 2 === 0 ? (['near', near] as const) : (['far', far] as const);
      const startedMs = performance.now();
      await getWith(world, { authorization: `Bearer ${key}` });
      times[kind].push(performance.now() - startedMs);
    }
    if (medianOf(times.near) < SLOWER * medianOf(times.far)) return null;
  }
  return `${SLOWER} times as long in ${ROUNDS} rounds`;
}

const medianOf = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
