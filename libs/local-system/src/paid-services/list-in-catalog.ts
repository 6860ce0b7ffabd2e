import { createDatabase } from '@agent-wallet/db';
import { addService, removeService } from '@agent-wallet/spend';
import type { LocalService } from './local-services.ts';

/**
 * Enters the services into the catalog, enabled and at their price. An entry of an earlier start
 * is replaced: the ports of a kept system change. `databaseUrl` is that of the operator.
 */
export async function listInCatalog(
  databaseUrl: string,
  services: readonly LocalService[],
): Promise<void> {
  const db = await createDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    await db.transaction(async (sqlTransaction) => {
      for (const { slug, url, payTo, price, proof } of services) {
        await removeService(sqlTransaction, slug);
        await addService(sqlTransaction, {
          slug,
          name: slug,
          baseUrl: url,
          enabled: true,
          payTo,
          maxPrice: BigInt(price),
          method: null,
          proof,
        });
      }
    });
  } finally {
    await db.end();
  }
}
