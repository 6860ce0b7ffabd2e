import { createDatabase, isSilenceFault } from '@agent-wallet/db';
import { expect, test } from 'vitest';
import { requestedTransfer } from '../../../../tests/support/database/made-up-spends.ts';
import { useSpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { startSilentProxy } from '../../../../tests/support/database/silent-proxy.ts';
import { createAcceptSpend } from './accept/batch-acceptances.ts';
import { createCancelSpend } from './answer/cancel-spend.ts';

const REQUESTS = 20;
/** A busy machine needs more than half a second for a connection. */
const LIMIT_MS = 2_000;

const rows = await useSpendRows();

test('callers for a wallet share the fault of a silent database, and do not wait for it in turn', async () => {
  await using proxy = await startSilentProxy(Number(new URL(rows.url).port));
  const url = Object.assign(new URL(rows.url), { host: `127.0.0.1:${proxy.port}` }).href;
  const limits = { connectionTimeoutMs: LIMIT_MS, responseTimeoutMs: LIMIT_MS };
  const options = { url, poolSize: 3, ...limits };
  const db = await createDatabase(options);
  const accept = createAcceptSpend(db);
  const cancel = createCancelSpend(db);
  const session = await rows.createSession();
  const queued = await rows.accept(session);

  proxy.isSilent = true;
  const faults = await Promise.all(
    Array.from({ length: REQUESTS }, () => [
      faultOf(accept(requestedTransfer(session))),
      faultOf(cancel(queued)),
    ]).flat(),
  );
  proxy.isSilent = false;
  for (const fault of faults) expect(fault).toSatisfy(isSilenceFault);
  // One for each kind of call, and no more than acceptances may use at once.
  expect(new Set(faults).size).toBeLessThanOrEqual(3);

  expect(await cancel(queued)).toMatchObject({ status: 'rejected' });
  await db.end();
});

const faultOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(() => 'none').catch((error: unknown) => error);
