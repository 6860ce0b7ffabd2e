import { PROCESSES } from './processes.ts';
import { writeEnvExample } from './write-env-example.ts';
import { writeTable } from './write-table.ts';

/** The generated files by their path in the repository. */
export function settingsFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/settings.md', writeTable()],
    ...Object.entries(PROCESSES).map(
      ([process, schema]) =>
        [`deploy/env/${process}.env.example`, writeEnvExample(process, schema)] as const,
    ),
  ]);
}

/** Where a generated file is. */
export const urlOf = (path: string): URL => new URL(`../../${path}`, import.meta.url);
