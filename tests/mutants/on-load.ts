import { registerHooks } from 'node:module';
import { applyEdit, type Edit } from './mutant.ts';

/**
 * Changes modules of the product while this process loads them. The files stay as they are, and the
 * product has no branch for it. An edit that does not apply ends the process.
 */
export function editOnLoad(edits: readonly Edit[]): void {
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      const fitting = edits.filter(({ file }) => url.endsWith(`/${file}`));
      if (fitting.length === 0) return loaded;
      return { ...loaded, source: fitting.reduce(applyEdit, textOf(loaded.source)) };
    },
  });
}

/** The module to load first in a process (`node --import`) that is to run the mutant. */
export const preloadOf = (name: string): URL =>
  new URL(`preload.ts?mutant=${encodeURIComponent(name)}`, import.meta.url);

function textOf(source: string | ArrayBuffer | NodeJS.TypedArray | null | undefined): string {
  if (typeof source === 'string') return source;
  if (source === null || source === undefined) throw new TypeError('the module has no source');
  return new TextDecoder().decode(source);
}
