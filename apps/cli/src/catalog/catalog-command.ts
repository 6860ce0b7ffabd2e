import { createDatabase, type Database } from '@agent-wallet/db';
import {
  addService,
  listServices,
  removeService,
  type Service,
  setServiceEnabled,
} from '@agent-wallet/spend';
import { CliError } from '../cli-error.ts';
import type { CatalogConfig } from '../config.ts';
import { type CatalogCommand, readServiceUrl } from './catalog-arguments.ts';

/** `catalog …`: the services that agents may pay by slug. Returns the exit code. */
export async function catalogCommand(
  config: CatalogConfig,
  command: CatalogCommand,
  print: (line: string) => void,
): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const db = await createDatabase({ url: config.databaseUrl, poolSize: 1 });
  stack.defer(() => db.end());
  print(await run(db, config, command));
  return 0;
}

async function run(db: Database, config: CatalogConfig, command: CatalogCommand): Promise<string> {
  switch (command.kind) {
    case 'catalog_list':
      return tableOf(await listServices(db, { enabledOnly: false }));
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

/** Formats a table with a header. Each column is as wide as its widest cell. */
function tableOf(services: readonly Service[]): string {
  const rows = services.map((service) => [
    service.slug,
    service.enabled ? 'yes' : 'no',
    service.proof,
    service.method ?? 'GET/POST',
    service.maxPrice.toString(),
    service.payTo,
    service.baseUrl,
    service.name,
  ]);
  const widths = HEAD.map((title, i) =>
    Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)),
  );
  return [HEAD, ...rows]
    .map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}
