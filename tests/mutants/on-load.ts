import { registerHooks } from 'node:module';

/**
 * Changes one module of the product while a process loads it: the file itself stays as it is, and
 * the product has no branch for it. A place that is not there any more ends the process at once.
 */
export function replaceIn(path: string, place: string, defect: string): void {
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(path)) return loaded;
      const source = textOf(loaded.source);
      if (!source.includes(place)) throw new Error(`the change does not fit ${path} any more`);
      return { ...loaded, source: source.replace(place, () => defect) };
    },
  });
}

function textOf(source: string | ArrayBuffer | NodeJS.TypedArray | null | undefined): string {
  if (typeof source === 'string') return source;
  if (source === null || source === undefined) throw new TypeError('the module has no source');
  return new TextDecoder().decode(source);
}
