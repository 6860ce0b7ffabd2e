import { type CommonQueryMethods, sql } from 'slonik';
import type { Service } from './service.ts';

/** Adds an entry; false when the slug is taken. */
export async function addService(
  db: CommonQueryMethods,
  service: Omit<Service, 'createdAt'>,
): Promise<boolean> {
  const added = await db.maybeOne(sql.unsafe`
    insert into service (slug, name, base_url, enabled, pay_to, max_price, method, proof)
    values (${service.slug}, ${service.name}, ${service.baseUrl}, ${service.enabled},
      ${service.payTo}, ${service.maxPrice.toString()}::numeric, ${service.method},
      ${service.proof})
    on conflict (slug) do nothing
    returning 1 as one
  `);
  return added !== null;
}

/** Lets agents use an entry, or no longer; false when there is none with this slug. */
export async function setServiceEnabled(
  db: CommonQueryMethods,
  slug: string,
  enabled: boolean,
): Promise<boolean> {
  const changed = await db.maybeOne(sql.unsafe`
    update service set enabled = ${enabled} where slug = ${slug} returning 1 as one
  `);
  return changed !== null;
}

/** Removes an entry; payments under way keep what they copied. False when there is none. */
export async function removeService(db: CommonQueryMethods, slug: string): Promise<boolean> {
  const removed = await db.maybeOne(sql.unsafe`
    delete from service where slug = ${slug} returning 1 as one
  `);
  return removed !== null;
}
