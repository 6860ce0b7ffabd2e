import { Keypair } from '@solana/web3.js';
import { sql } from 'slonik';
import { z } from 'zod';
import { callApi } from '../../../support/http/http-owner.ts';
import {
  requestNonce,
  type Challenge,
  exchange,
  sign,
  textFor,
} from '../../../support/http/sign-in.ts';
import type { Part } from '../../parts.ts';
import { type KeysWorld, openedBy } from './world.ts';

const AT_ONCE = 50;

/** Used, expired and foreign nonces, and signatures of other texts. */
export const nonces: Part<KeysWorld> = {
  shows: ['nonces-serve-twice'],
  attack: async (cases, world) => {
    const { api } = world;
    await cases.try(`${AT_ONCE} sign-ins at once with one nonce`, () => race(world));
    await cases.try('a nonce that was used', async () => {
      const [keypair, challenge] = [Keypair.generate(), await requestNonce(api)];
      await exchange(api, keypair, challenge);
      return openedBy(await exchange(api, keypair, challenge));
    });
    await cases.try('a nonce that somebody else has used', async () => {
      const challenge = await requestNonce(api);
      await exchange(api, Keypair.generate(), challenge);
      return openedBy(await exchange(api, Keypair.generate(), challenge));
    });
    await cases.try('a nonce that was tried with a wrong signature', async () => {
      const [keypair, challenge] = [Keypair.generate(), await requestNonce(api)];
      await exchange(api, keypair, challenge, sign('x', keypair));
      return openedBy(await exchange(api, keypair, challenge));
    });
    await cases.try('a nonce that has run out', async () => {
      const [keypair, challenge] = [Keypair.generate(), await requestNonce(api)];
      await world.db.query(sql.unsafe`
        update sign_in_nonce set expires_at = now() where nonce = ${challenge.nonce}
      `);
      return openedBy(await exchange(api, keypair, challenge));
    });
    await cases.try('a nonce that nobody gave out', async () => {
      const { nonce, message } = await requestNonce(api);
      const made = { nonce: 'f'.repeat(32), message: message.replace(nonce, 'f'.repeat(32)) };
      return openedBy(await exchange(api, Keypair.generate(), made));
    });
    await cases.try('a nonce that one owner requested, signed by another', () => takeNonce(world));
    for (const [name, write] of TEXTS) {
      await cases.try(`a text ${name}`, async () => {
        const [keypair, challenge] = [Keypair.generate(), await requestNonce(api)];
        const signature = sign(write(textFor(keypair, challenge), challenge, keypair), keypair);
        return openedBy(await exchange(api, keypair, challenge, signature));
      });
    }
    for (const [name, write] of SPELLINGS) {
      await cases.try(`a nonce ${name}`, async () => {
        const [keypair, challenge] = [Keypair.generate(), await requestNonce(api)];
        const nonce = write(challenge.nonce);
        const signature = sign(textFor(keypair, challenge), keypair);
        const body = { pubkey: keypair.publicKey.toBase58(), signature, nonce };
        return openedBy(await callApi(api, 'POST', '/v1/auth/siws', { body }));
      });
    }
  },
};

const countRow = z.object({ count: z.number() });

async function race({ api, db }: KeysWorld): Promise<string | null> {
  const [keypair, challenge] = [Keypair.generate(), await requestNonce(api)];
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, () => exchange(api, keypair, challenge)),
  );
  const won = answers.filter((answer) => openedBy(answer) !== null).length;
  const { count } = await db.one(sql.type(countRow)`
    select count(*)::int as count from owner_session
    where owner = ${keypair.publicKey.toBase58()}
  `);
  return won === 1 && count === 1 ? null : `${won} were let in, ${count} sessions`;
}

/** A nonce is no secret and names no owner: it is valid for the key that signed, and no other. */
async function takeNonce({ api }: KeysWorld): Promise<string | null> {
  const [owner, other, challenge] = [
    Keypair.generate(),
    Keypair.generate(),
    await requestNonce(api),
  ];
  const pretended = await exchange(api, owner, challenge, sign(textFor(owner, challenge), other));
  const own = await exchange(api, other, await requestNonce(api));
  const isOther = own.body['pubkey'] === other.publicKey.toBase58();
  return openedBy(pretended) ?? (isOther ? null : 'signed in as somebody else');
}

type Write = (text: string, challenge: Challenge, keypair: Keypair) => string | Uint8Array;

const mark = Buffer.concat([Buffer.from([0xff]), Buffer.from('solana offchain', 'ascii')]);
const lengthOf = (text: string): Buffer => {
  const length = Buffer.alloc(2);
  length.writeUInt16LE(Buffer.byteLength(text));
  return length;
};

const TEXTS: readonly (readonly [string, Write])[] = [
  ['of another page', (text) => text.replace(/^\S+/, 'evil.example')],
  ['of a page with a longer name', (text) => text.replace(/^\S+/, (host) => `${host}.evil`)],
  ['of another URI', (text) => text.replace(/URI: \S+/, 'URI: https://evil.example')],
  ['of another chain', (text) => text.replace('devnet', 'mainnet')],
  ['of another version', (text) => text.replace('Version: 1', 'Version: 2')],
  ['with a line more', (text) => `${text}\nResources:\n- https://evil.example`],
  ['with a line before', (text) => `evil.example\n${text}`],
  ['with a line feed at its end', (text) => `${text}\n`],
  ['with carriage returns', (text) => text.replaceAll('\n', '\r\n')],
  ['without its statement', (text) => text.replace(/Sign in to[^\n]*\n\n/, '')],
  ['with the placeholder left in', (_text, { message }) => message],
  ['with another address', (_text, challenge) => textFor(Keypair.generate(), challenge)],
  ['with the nonce in capitals', (text, { nonce }) => text.replace(nonce, nonce.toUpperCase())],
  ['of the nonce alone', (_text, { nonce }) => nonce],
  ['of nothing', () => ''],
  ['in UTF-16', (text) => Buffer.from(text, 'utf16le')],
  ['with a byte order mark', (text) => `\u{feff}${text}`],
  [
    'in an envelope of another signer',
    (text) =>
      Buffer.concat([
        mark,
        Buffer.from([0]),
        Buffer.alloc(32),
        Buffer.from([0, 1]),
        Keypair.generate().publicKey.toBytes(),
        lengthOf(text),
        Buffer.from(text),
      ]),
  ],
  [
    'in an envelope of another application',
    (text, _challenge, { publicKey }) =>
      Buffer.concat([
        mark,
        Buffer.from([0]),
        Buffer.alloc(32, 7),
        Buffer.from([0, 1]),
        publicKey.toBytes(),
        lengthOf(text),
        Buffer.from(text),
      ]),
  ],
  [
    'in an envelope that is longer than it says',
    (text) =>
      Buffer.concat([mark, Buffer.from([0, 0]), lengthOf(text), Buffer.from(`${text} and more`)]),
  ],
];

const SPELLINGS: readonly (readonly [string, (nonce: string) => unknown])[] = [
  ['in capitals', (nonce) => nonce.toUpperCase().replace(/^[0-9]+$/, 'A'.repeat(32))],
  ['with a space', (nonce) => `${nonce} `],
  ['with a line feed', (nonce) => `${nonce}\n`],
  ['one short', (nonce) => nonce.slice(1)],
  ['in a list', (nonce) => [nonce]],
  ['with a wildcard', () => '%'.repeat(32)],
  ['that is an object', (nonce) => ({ $ne: nonce })],
  ['that is null', () => null],
];
