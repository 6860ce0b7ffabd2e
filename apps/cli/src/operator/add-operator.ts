import { type Command, Option } from 'commander';
import { z } from 'zod';
import { addCommand, type Context } from '../command-line/add-command.ts';
import { uuid } from '../command-line/inputs.ts';
import type { Outcome } from '../command-line/outcome.ts';
import type { AddCommands } from '../command-line/parse-command-line.ts';
import type { CatalogInput } from './catalog/catalog-arguments.ts';

type Group = Parameters<AddCommands>[0];

/**
 * The commands that need a login of the database; they are not part of the packed tool. The libraries
 * of the database are loaded when one of them runs.
 */
export const addOperator: AddCommands = ({ group, onCall }) => {
  addAudit({ group: group.command('audit').description('verify the audit log'), onCall });
  const catalog = group.command('catalog').description('the services that agents can pay by slug');
  addCatalog({ group: catalog, onCall });
  addOps({ group: group.command('ops').description('rare tasks of an operator'), onCall });
};

const withEnvironment = (command: Command, text: string): Command =>
  command.addHelpText('after', `\nEnvironment: ${text}`);

function addAudit({ group, onCall }: Group): void {
  withEnvironment(group, 'DATABASE_URL, PROGRAM_ID, USDC_MINT; RPC_URL to read the chain');
  addCommand(
    { group, onCall },
    {
      usage: 'verify',
      summary:
        "recompute the hash chains of the audit log and compare the log with the spends, the program's events and, with RPC_URL, the chain; name the first difference",
      options: [new Option('--wallet <id>', 'only this wallet')],
      examples: ['audit verify', 'audit verify --wallet 0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6071'],
      input: z.object({ wallet: uuid.optional() }),
      run: async ({ wallet }, { env }) => {
        const { parseConfig } = await import('./config.ts');
        const config = parseConfig(env);
        const { verifyCommand } = await import('./audit/verify-command.ts');
        return verifyCommand(config, wallet ?? null);
      },
    },
  );
}

function addCatalog({ group, onCall }: Group): void {
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
}

const runCatalog = async (input: CatalogInput, { env }: Pick<Context, 'env'>): Promise<Outcome> => {
  const [{ readCatalogInput }, { parseCatalogConfig }] = await Promise.all([
    import('./catalog/catalog-arguments.ts'),
    import('./config.ts'),
  ]);
  const command = readCatalogInput(input);
  const config = parseCatalogConfig(env);
  const { catalogCommand } = await import('./catalog/catalog-command.ts');
  return catalogCommand(config, command);
};

function addOps({ group, onCall }: Group): void {
  withEnvironment(group, 'DATABASE_URL, PROGRAM_ID, USDC_MINT, RPC_URL');
  addCommand(
    { group, onCall },
    {
      usage: 'restored',
      summary:
        'run it after a restore from a copy: closes intake, so that no spend is accepted or signed until every earlier signature has landed or expired',
      examples: ['ops restored'],
      input: z.object({}),
      run: async (_input, { env }) => {
        const { parseConfig } = await import('./config.ts');
        const config = parseConfig(env);
        const { restoredCommand } = await import('./ops/restored-command.ts');
        return restoredCommand(config);
      },
    },
  );
}
