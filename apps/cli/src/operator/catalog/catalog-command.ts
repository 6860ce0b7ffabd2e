import { createDatabase, type Database } from '@agent-wallet/db';
import {
  addService,
  listServices,
  removeService,
  type Service,
  setServiceEnabled,
} from '@agent-wallet/spend';
import { CliError } from '../../cli-error.ts';
import { done, type Outcome } from '../../command-line/outcome.ts';
import { tableOf } from '../../terminal/table.ts';
import type { CatalogConfig } from '../config.ts';
import { type CatalogCommand, readServiceUrl } from './catalog-arguments.ts';

/** `catalog …`: the services that agents may pay by slug. */
export async function catalogCommand(
  config: CatalogConfig,
  command: CatalogCommand,
): Promise<Outcome> {
  await using stack = new AsyncDisposableStack();
  const db = await createDatabase({ url: config.databaseUrl, poolSize: 1 });
  stack.defer(() => db.end());
  if (command.kind === 'catalog_list') {
    const services = await listServices(db, { enabledOnly: false });
    return done(tableOf(HEAD, services.map(cellsOf)), services.map(jsonOf));
  }
  const slug = command.kind === 'catalog_add' ? command.entry.slug : command.slug;
  const message = await change(db, config, command);
  return done(message, { slug, message });
}

async function change(
  db: Database,
  config: CatalogConfig,
  command: Exclude<CatalogCommand, { readonly kind: 'catalog_list' }>,
): Promise<string> {
  switch (command.kind) {
    case 'catalog_add':
      return add(db, config, command.entry);
    case 'catalog_enable':
      await mustExist(setServiceEnabled(db, command.slug, true), command.slug);
      return `${command.slug} is enabled: agents can pay it.`;
    case 'catalog_disable':
      await mustExist(setServiceEnabled(db, command.slug, false), command.slug);
      return `${command.slug} is disabled; payments under way are finished.`;
    case 'catalog_remove':
      await mustExist(removeService(db, command.slug), command.slug);
      return `${command.slug} is removed; payments under way are finished.`;
  }
}

async function add(
  db: Database,
  config: CatalogConfig,
  entry: Omit<Service, 'createdAt'>,
): Promise<string> {
  const { slug, enabled } = entry;
  const baseUrl = readServiceUrl(entry.baseUrl, config.loopbackOrigins);
  const isNew = await addService(db, { ...entry, baseUrl });
  if (!isNew) throw new CliError(`There is already a service "${slug}": remove it first.`);
  return enabled
    ? `${slug} is added and enabled: agents can pay it.`
    : `${slug} is added; "agent-wallet catalog enable ${slug}" lets agents pay it.`;
}

async function mustExist(found: Promise<boolean>, slug: string): Promise<void> {
  if (!(await found)) throw new CliError(`There is no service "${slug}".`);
}

const HEAD = ['SLUG', 'ENABLED', 'PROOF', 'METHOD', 'MAX PRICE', 'PAY TO', 'URL', 'NAME'];

const cellsOf = (service: Service): readonly string[] => [
  service.slug,
  service.enabled ? 'yes' : 'no',
  service.proof,
  service.method ?? 'GET/POST',
  service.maxPrice.toString(),
  service.payTo,
  service.baseUrl,
  service.name,
];

const jsonOf = (service: Service): object => ({
  slug: service.slug,
  name: service.name,
  base_url: service.baseUrl,
  enabled: service.enabled,
  pay_to: service.payTo,
  max_price: service.maxPrice,
  method: service.method,
  proof: service.proof,
  created_at: service.createdAt,
});
