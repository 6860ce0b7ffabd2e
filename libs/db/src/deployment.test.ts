import { sql } from 'slonik';
import { beforeEach, expect, test } from 'vitest';
import { useTestDatabase } from '../../../tests/support/database/test-database.ts';
import { claimDeployment, type Deployment } from './deployment.ts';

const { db } = await useTestDatabase({ poolSize: 8 });
beforeEach(async () => {
  await db.query(sql.unsafe`delete from deployment`);
});

const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const deployment: Deployment = { genesisHash: 'local', programId: 'program', usdcMint: 'mint' };
const claim = (changed: Partial<Deployment> = {}, allowMainnet = false): Promise<void> =>
  claimDeployment(db, { ...deployment, ...changed }, { allowMainnet });
const countRows = (): Promise<unknown> =>
  db.oneFirst(sql.unsafe`select count(*)::int as count from deployment`);

test('the first process stores the chain, and later processes of the same chain pass', async () => {
  await claim();
  await claim();
  expect(await countRows()).toBe(1);
});

test('ten processes that start at once agree', async () => {
  await Promise.all(Array.from({ length: 10 }, () => claim()));
  expect(await countRows()).toBe(1);
});

test('of two chains at once, one is stored and the other is refused', async () => {
  const results = await Promise.allSettled([claim(), claim({ genesisHash: 'other' })]);
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test.each(['genesisHash', 'programId', 'usdcMint'] as const)(
  'another %s is refused with both values',
  async (field) => {
    await claim();
    await expect(claim({ [field]: 'other' })).rejects.toMatchObject({
      code: 'CHAIN_MISMATCH',
      context: { field, database: deployment[field], process: 'other' },
    });
  },
);

test('mainnet is refused before anything is stored, unless it is allowed', async () => {
  await expect(claim({ genesisHash: MAINNET })).rejects.toMatchObject({
    code: 'SERVER_MISCONFIGURED',
  });
  expect(await countRows()).toBe(0);
  await claim({ genesisHash: MAINNET }, true);
  expect(await countRows()).toBe(1);
});

test('mainnet is refused even if it was allowed before', async () => {
  await claim({ genesisHash: MAINNET }, true);
  await expect(claim({ genesisHash: MAINNET })).rejects.toMatchObject({
    code: 'SERVER_MISCONFIGURED',
  });
});
