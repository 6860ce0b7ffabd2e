import type { ServerResponse } from 'node:http';
import { openServiceHost } from '@agent-wallet/local-system/paid-services/service-host.ts';
import type { TestProject } from 'vitest/node';
import { prepareSystemsDir } from './system/systems-dir.ts';
import { createTemplateDatabase, type TemplateDatabase } from './database/template-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Returns the run's database template, created at the first request. */
    readonly templateUrl: string;
    /** The folder for the logs of this run's systems. */
    readonly systemsDir: string;
  }
}

/**
 * Runs once, in vitest's main process. It starts only a small server on loopback. The first test
 * file that requests a database starts Postgres, so that unit tests do not wait for it.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  project.provide('systemsDir', await prepareSystemsDir());
  const database = createTemplateDatabase((line) => {
    process.stdout.write(`${line}\n`);
  });
  const host = await openServiceHost();
  host.serve((_request, response) => void answer(database, response));
  project.provide('templateUrl', `${host.origin}/`);
  return async () => {
    await host.stop();
    await database.stop();
  };
}

async function answer(database: TemplateDatabase, response: ServerResponse): Promise<void> {
  // A kept-alive connection could close just when the next test file uses it.
  response.setHeader('connection', 'close');
  try {
    response.end(JSON.stringify(await database.get()));
  } catch (error) {
    response.writeHead(500);
    response.end(error instanceof Error ? error.message : String(error));
  }
}
