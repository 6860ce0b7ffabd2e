import { randomBytes } from 'node:crypto';
import type { Database } from '@agent-wallet/db';
import { AppError } from '@agent-wallet/errors';
import { sql } from 'slonik';
import { z } from 'zod';
import type { WrappingKey } from './wrapping/wrapping-key.ts';

/** A key that seals session keys; its version stands beside what it has sealed. */
export type DataKey = { readonly version: number; readonly key: Buffer };

/** The data keys of the table `data_key`, decrypted on first use and kept in memory. */
export type DataKeys = {
  /**
   * The keys that may open what this version has sealed: several only for version 1. Throws
   * KEYSTORE_UNAVAILABLE when no wrapping key decrypts it.
   */
  readonly keysOf: (version: number) => Promise<readonly Buffer[]>;
  /**
   * The key that seals: the newest one, if the first wrapping key has encrypted it. Otherwise creates
   * one, so that a new wrapping key comes with a new data key.
   */
  readonly openNewest: () => Promise<DataKey>;
};

/** What a local wrapping key sealed itself, before there were data keys. */
const DIRECT_VERSION = 1;
const DATA_KEY_BYTES = 32;

const dataKeyRow = z.object({
  version: z.number(),
  wrapped: z.instanceof(Buffer),
  wrappedBy: z.string(),
});
type DataKeyRow = z.output<typeof dataKeyRow>;

/** Data keys under these wrapping keys, of which the first encrypts new ones. */
export function createDataKeys(
  db: Database,
  wrappingKeys: readonly [WrappingKey, ...WrappingKey[]],
): DataKeys {
  const [first] = wrappingKeys;
  const decrypted = new Map<number, Promise<Buffer>>();

  async function decrypt(row: DataKeyRow): Promise<Buffer> {
    const wrappingKey = wrappingKeys.find(({ id }) => id === row.wrappedBy);
    if (wrappingKey === undefined) {
      const { version, wrappedBy } = row;
      const reason = 'no setting names the key that encrypted this data key';
      throw new AppError('KEYSTORE_UNAVAILABLE', { version, wrappedBy, reason });
    }
    const known = decrypted.get(row.version) ?? wrappingKey.unwrap(row.wrapped, row.version);
    decrypted.set(row.version, known);
    return known.catch((error: unknown) => {
      decrypted.delete(row.version);
      throw error;
    });
  }

  const readRow = (version: number) =>
    db.maybeOne(sql.type(dataKeyRow)`
      select version, wrapped, wrapped_by as "wrappedBy" from data_key where version = ${version}
    `);

  const readNewest = () =>
    db.maybeOne(sql.type(dataKeyRow)`
      select version, wrapped, wrapped_by as "wrappedBy" from data_key
      order by version desc limit 1
    `);

  /** Of two workers that create the same version, one stores its key and the other takes that. */
  async function createNext(after: number): Promise<void> {
    const version = after + 1;
    const wrapped = await first.wrap(randomBytes(DATA_KEY_BYTES), version);
    await db.query(sql.unsafe`
      insert into data_key (version, wrapped, wrapped_by)
      values (${version}, ${sql.binary(wrapped)}, ${first.id})
      on conflict do nothing
    `);
  }

  return {
    keysOf: async (version) => {
      if (version === DIRECT_VERSION) {
        return wrappingKeys.flatMap(({ direct }) => (direct === null ? [] : [direct]));
      }
      const known = decrypted.get(version);
      if (known !== undefined) return [await known];
      const row = await readRow(version);
      if (row === null) {
        throw new AppError('KEYSTORE_UNAVAILABLE', { version, reason: 'no such data key' });
      }
      return [await decrypt(row)];
    },
    openNewest: async () => {
      let newest = await readNewest();
      if (newest?.wrappedBy !== first.id) {
        await createNext(newest?.version ?? DIRECT_VERSION);
        newest = await readNewest();
      }
      if (newest === null) throw new AppError('INTERNAL', { reason: 'no data key was stored' });
      return { version: newest.version, key: await decrypt(newest) };
    },
  };
}
