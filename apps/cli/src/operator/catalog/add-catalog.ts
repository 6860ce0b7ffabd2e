import { Option } from 'commander';
import { z } from 'zod';
import { addCommand, type Context } from '../../command-line/add-command.ts';
import type { Outcome } from '../../command-line/outcome.ts';
import type { AddCommands } from '../../command-line/parse-command-line.ts';
import { withEnvironment } from '../with-environment.ts';
import type { CatalogInput } from './catalog-arguments.ts';

/** The commands of the catalog of services. */
export const addCatalog: AddCommands = ({ group, onCall }) => {
  withEnvironment(
    group,
    'DATABASE_URL; LOOPBACK_SERVICES permits services on this machine, for tests',
  );
  const text = z.string().optional();
  const entry = { name: text, url: text, payTo: text, maxPrice: text, method: text, proof: text };
  addCommand(
    { group, onCall },
    {
      usage: 'add <slug>',
      summary: 'add a service; agents can use it once it is enabled',
      options: [
        new Option('--url <https URL>', 'where the service is'),
        new Option('--pay-to <address>', 'the wallet that is paid'),
        new Option('--max-price <n>', 'the highest price of one call, in base units'),
        new Option('--proof <kind>', 'x-payment-proof (the default) or x402'),
        new Option('--method <method>', 'by default POST with a body, else GET'),
        new Option('--name <text>', 'by default the slug'),
        new Option('--enabled', 'enable it at once'),
      ],
      examples: [
        'catalog add weather --url https://weather.example/v1 --pay-to <address> --max-price 50000',
      ],
      input: z
        .object({ slug: z.string(), ...entry, enabled: z.boolean().optional() })
        .transform(({ slug, ...options }) => ({
          kind: 'catalog_add' as const,
          slug,
          options,
        })),
      run: runCatalog,
    },
  );
  addCommand(
    { group, onCall },
    {
      usage: 'list',
      summary: 'list all services',
      examples: ['catalog list'],
      input: z.object({}).transform(() => ({ kind: 'catalog_list' as const })),
      run: runCatalog,
    },
  );
  for (const [verb, summary] of [
    ['enable', 'let agents pay a service'],
    ['disable', 'no longer let agents pay a service; payments under way are finished'],
    ['remove', 'remove a service; payments under way are finished'],
  ] as const) {
    addCommand(
      { group, onCall },
      {
        usage: `${verb} <slug>`,
        summary,
        examples: [`catalog ${verb} weather`],
        input: z.object({ slug: z.string() }).transform(({ slug }) => ({
          kind: `catalog_${verb}` as const,
          slug,
        })),
        run: runCatalog,
      },
    );
  }
};

const runCatalog = async (input: CatalogInput, { env }: Pick<Context, 'env'>): Promise<Outcome> => {
  const [{ readCatalogInput }, { parseCatalogConfig }] = await Promise.all([
    import('./catalog-arguments.ts'),
    import('../config.ts'),
  ]);
  const command = readCatalogInput(input);
  const config = parseCatalogConfig(env);
  const { catalogCommand } = await import('./catalog-command.ts');
  return catalogCommand(config, command);
};
