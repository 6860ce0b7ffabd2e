import { readFile } from 'node:fs/promises';
import { runAsAdmin } from '../support/database/template-database.ts';
import { applyEdit, editsOf } from './mutant.ts';
import { mutantNamed } from './mutants.ts';

const ROOT = new URL('../../', import.meta.url);

/**
 * Puts the defects of a mutant that are in a migration into a migrated database, whose owner logs
 * in by `url`. Runs the whole file again, which may therefore only replace functions.
 */
export async function changeDatabase(url: string, name: string): Promise<void> {
  const ofMigrations = editsOf(mutantNamed(name)).filter(({ file }) =>
    file.startsWith('migrations/'),
  );
  for (const [file, edits] of Map.groupBy(ofMigrations, (edit) => edit.file)) {
    const text = await readFile(new URL(file, ROOT), 'utf8');
    await runAsAdmin(url, edits.reduce(applyEdit, text));
  }
}
