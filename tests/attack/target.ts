import { join } from 'node:path';
import { appProcesses } from '@agent-wallet/local-system/system/app-processes.ts';
import {
  startSystem,
  type StartSystemOptions,
  type System,
} from '@agent-wallet/local-system/system/start-system.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { changeDatabase } from '../mutants/change-database.ts';
import { mutants } from '../mutants/mutants.ts';
import { preloadOf } from '../mutants/on-load.ts';
import {
  databaseUrlFor,
  runAsAdmin,
  type TemplateDatabase,
} from '../support/database/template-database.ts';

/** A running system, with access to its database and its chain. */
export type Target = AsyncDisposable & {
  readonly system: System;
  readonly fixture: LaneFixture;
  /** The folder of its processes' logs. */
  readonly logsDir: string;
  /** Processes that ended unexpectedly. */
  readonly deaths: readonly string[];
};

export type StartTarget = (options?: StartSystemOptions) => Promise<Target>;

/** A migrated database, dropped on disposal. */
export type AttackedDatabase = AsyncDisposable & { readonly name: string; readonly url: string };

let databases = 0;

export async function createDatabase(template: TemplateDatabase): Promise<AttackedDatabase> {
  const { adminUrl, templateName } = await template.get();
  databases += 1;
  const name = `attack_${process.pid}_${Date.now()}_${databases}`;
  await runAsAdmin(adminUrl, `create database ${name} template ${templateName}`);
  return {
    name,
    url: databaseUrlFor(adminUrl, name),
    [Symbol.asyncDispose]: async () => {
      await runAsAdmin(adminUrl, `drop database ${name} with (force)`);
    },
  };
}

/**
 * Starts systems to be attacked, each on a database and a chain of its own. All processes run the
 * mutant; a name that is not in the table belongs to a defect that the surface makes itself.
 */
export function createStartTarget(deps: {
  readonly template: TemplateDatabase;
  readonly systemsDir: string;
  readonly mutant: string | null;
}): StartTarget {
  const { template, systemsDir, mutant } = deps;
  return async (options = {}) => {
    await using stack = new AsyncDisposableStack();
    const { name, url } = stack.use(await createDatabase(template));
    const logsDir = join(systemsDir, name);
    const deaths: string[] = [];
    const imports = importsOf(mutant);
    if (isInTable(mutant)) await changeDatabase(url, mutant);
    const { processes = appProcesses, ...others } = options;
    const system = stack.use(
      await startSystem({
        databaseUrl: url,
        dataDir: logsDir,
        onDeath: (process, sentence) => deaths.push(`${process}: ${sentence}`),
        processes: (surroundings) =>
          processes(surroundings).map((spec) => ({ ...spec, env: { ...spec.env, ...imports } })),
        ...others,
      }),
    );
    const fixture = stack.use(await createLaneFixture(system));
    const all = stack.move();
    return { system, fixture, logsDir, deaths, [Symbol.asyncDispose]: () => all.disposeAsync() };
  };
}

function importsOf(mutant: string | null): { readonly NODE_OPTIONS?: string } {
  return isInTable(mutant) ? { NODE_OPTIONS: `--import=${preloadOf(mutant).href}` } : {};
}

const isInTable = (mutant: string | null): mutant is string =>
  mutants.some(({ name }) => name === mutant);
