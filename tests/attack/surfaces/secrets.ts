import { createDataKeys, createOpenSessionKey, openWrappingKeys } from '@agent-wallet/keystore';
import bs58 from 'bs58';
import { sql } from 'slonik';
import { z } from 'zod';
import { appProcesses, type ProcessSpec } from '@agent-wallet/local-system/system/app-processes.ts';
import { openServiceStreet } from '../../support/services/service-street.ts';
import { mutantsNoticedBy } from '../../mutants/mutants.ts';
import { type Cases, createCases, type Surface } from '../surface.ts';
import type { Target } from '../target.ts';
import { live } from './secrets/life.ts';
import { type Place, readArguments, readLogs, readMetrics, readTables } from './secrets/places.ts';
import { findSecret, type Secret, secretBytes, secretText } from './secrets/secrets.ts';
import { makeTrouble, startBadly } from './secrets/trouble.ts';

/** With most providers part of an RPC endpoint's URL. */
const RPC_KEY = 'rpc-key-4b1f0a77c2d94e6f8a35';
/** A nonce is stored in plain text, because it is useless without the wallet's signature. */
const MAY_STAND_IN: Readonly<Record<string, string>> = { 'a nonce': 'table public.sign_in_nonce' };

/** Searches all that the system writes for the secrets that a wallet's life has produced. */
export const secrets: Surface = {
  name: 'secrets',
  leastCases: 600,
  mutants: mutantsNoticedBy('surface secrets'),
  mutantsAtOnce: 2,
  attack: async ({ startTarget, mutant }) => {
    const cases = createCases();
    const specs: ProcessSpec[] = [];
    await using street = await openServiceStreet();
    await using target = await startTarget({
      slotTimeMs: 200,
      env: { api: { LOOPBACK_SERVICES: street.origin } },
      rpcUrlFor: (_name, url) => `${url}/?api-key=${RPC_KEY}`,
      processes: (surroundings) => {
        specs.push(...appProcesses(surroundings));
        return specs.map((spec) => ({ ...spec, env: { ...spec.env, PGAPPNAME: spec.name } }));
      },
    });
    const life = await live(target, street);
    const all = [...life.secrets, ...readSettings(specs), ...(await openKeystore(target, specs))];
    const places: Place[] = [
      { name: 'an answer', text: life.seen },
      ...(await readTables(target)),
      ...(await readArguments(target)),
    ];
    if (mutant === null) {
      places.push({ name: 'a process that did not start', text: await startBadly(specs, RPC_KEY) });
      await makeTrouble(target);
    }
    places.push(...(await readMetrics(target)), ...(await readLogs(target)));
    await search(cases, all, places);
    await checkEnvironments(cases, specs);
    return cases.report();
  },
};

async function search(
  cases: Cases,
  all: readonly Secret[],
  places: readonly Place[],
): Promise<void> {
  for (const { name, text } of places) {
    for (const secret of all) {
      if (MAY_STAND_IN[secret.name] === name) continue;
      await cases.try(`${secret.name} in ${name}`, () => findSecret(secret, text));
    }
  }
}

/** Returns the secrets in the environment of the processes. */
function readSettings(specs: readonly ProcessSpec[]): readonly Secret[] {
  const roles = ['tx-worker', 'confirm-worker', 'api'];
  const [txWorker, confirmWorker, api] = roles.map((role) => envOf(specs, role));
  const feePayers = z.array(z.string()).parse(JSON.parse(txWorker?.['FEE_PAYER_KEYS'] ?? '[]'));
  return [
    ...feePayers.map((key, n) => secretBytes(`fee payer ${n}`, bs58.decode(key))),
    secretBytes('the master key', Buffer.from(txWorker?.['KEYSTORE_KEY'] ?? '', 'base64')),
    secretBytes('the key of webhooks', Buffer.from(confirmWorker?.['WEBHOOK_KEY'] ?? '', 'base64')),
    secretText('the cookie secret', api?.['COOKIE_SECRET'] ?? ''),
    secretText('the pepper', api?.['API_KEY_PEPPER'] ?? ''),
    ...specs.map(({ name, env }) =>
      secretText(`the database password of ${name}`, new URL(env['DATABASE_URL'] ?? '').password),
    ),
    secretText('the key of the RPC endpoint', RPC_KEY),
  ];
}

const sealedKey = z.object({
  pubkey: z.string(),
  sealed: z.instanceof(Buffer),
  keyVersion: z.number(),
});

/** Returns the data key and the private keys of sessions, opened as the tx-worker does. */
async function openKeystore(
  { fixture: { db } }: Target,
  specs: readonly ProcessSpec[],
): Promise<readonly Secret[]> {
  const wrappingKeys = await openWrappingKeys({
    key: envOf(specs, 'tx-worker')['KEYSTORE_KEY'] ?? '',
  });
  const dataKeys = createDataKeys(db, wrappingKeys);
  const openSessionKey = createOpenSessionKey(dataKeys);
  const rows = await db.any(sql.type(sealedKey)`
    select pubkey, sealed, key_version as "keyVersion" from session_key
    order by session_id nulls last limit 4
  `);
  const keypairs = await Promise.all(
    rows.map(({ sealed, ...context }) => openSessionKey(sealed, context)),
  );
  return [
    secretBytes('the data key', (await dataKeys.openNewest()).key),
    ...keypairs.map(({ secretKey }, n) => secretBytes(`session key ${n}`, secretKey)),
  ];
}

/** No process may have the secrets of another in its environment. */
async function checkEnvironments(cases: Cases, specs: readonly ProcessSpec[]): Promise<void> {
  const owners: Readonly<Record<string, string>> = {
    KEYSTORE_KEY: 'tx-worker',
    FEE_PAYER_KEYS: 'tx-worker',
    WEBHOOK_KEY: 'confirm-worker',
    COOKIE_SECRET: 'api',
    API_KEY_PEPPER: 'api',
  };
  for (const { name, role, env } of specs) {
    for (const [variable, owner] of Object.entries(owners)) {
      await cases.try(`${variable} in the environment of ${name}`, () =>
        role !== owner && env[variable] !== undefined ? 'it is set' : null,
      );
    }
  }
}

function envOf(specs: readonly ProcessSpec[], role: string): ProcessSpec['env'] {
  const spec = specs.find((one) => one.role === role);
  if (spec === undefined) throw new Error(`no ${role}`);
  return spec.env;
}
